#include "vm/vm_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/log.h"
#include "vm/management.h"

namespace ddm {
namespace {

// Splits the next word off `text`.
std::string_view take_word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(begin);
  const std::string_view word = text.substr(0, text.find_first_of(" \n"));
  text.remove_prefix(word.size());
  return word;
}

// The `VM.log` command, derived from the output of `VM.log list`; "" = nothing to change.
std::string command_to_silence_jvmti(std::string_view log_configuration) {
  // " #0: stdout all=warning uptime,level,tags foldmultilines=false"
  constexpr std::string_view kStdout = "#0: stdout ";
  const std::size_t at = log_configuration.find(kStdout);
  if (at == std::string_view::npos) return "";
  std::string_view rest = log_configuration.substr(at + kStdout.size());
  const std::string_view selection = take_word(rest);
  const std::string_view decorators = take_word(rest);
  if (selection.empty() || decorators.empty() || selection == "all=off" ||
      selection.find("jvmti") != std::string_view::npos) {
    return "";
  }
  return fmt::format("VM.log output=stdout what={},jvmti=off decorators={}", selection, decorators);
}

}  // namespace

void keep_jvmti_log_off_stdout(JNIEnv* jni) {
  const auto list = management::run_diagnostic_command(jni, "VM.log list");
  if (!list) {
    log_info("the VM's log configuration cannot be read");
    return;
  }
  const std::string command = command_to_silence_jvmti(*list);
  if (!command.empty()) management::run_diagnostic_command(jni, command);
}

}  // namespace ddm
