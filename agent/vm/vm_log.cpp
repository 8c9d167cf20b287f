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

// `VM.log` commands, derived from the output of `VM.log list`; "" = nothing to change.
struct LogCommands {
  std::string silence, restore;
};

LogCommands commands_to_silence(std::string_view tag, std::string_view log_configuration) {
  // " #0: stdout all=warning uptime,level,tags foldmultilines=false"
  constexpr std::string_view kStdout = "#0: stdout ";
  const std::size_t at = log_configuration.find(kStdout);
  if (at == std::string_view::npos) return {};
  std::string_view rest = log_configuration.substr(at + kStdout.size());
  const std::string_view selection = take_word(rest);
  const std::string_view decorators = take_word(rest);
  if (selection.empty() || decorators.empty() || selection == "all=off" ||
      selection.find(tag) != std::string_view::npos) {
    return {};
  }
  const auto command = [&](std::string_view more) {
    return fmt::format("VM.log output=stdout what={}{} decorators={}", selection, more, decorators);
  };
  return {command(fmt::format(",{}=off", tag)), command("")};
}

// Returns the command that restores what was before; "": nothing was changed.
std::string silence(JNIEnv* jni, std::string_view tag) {
  const auto list = management::run_diagnostic_command(jni, "VM.log list");
  if (!list) {
    log_info("the VM's log configuration cannot be read");
    return "";
  }
  LogCommands commands = commands_to_silence(tag, *list);
  if (commands.silence.empty()) return "";
  management::run_diagnostic_command(jni, commands.silence);
  return std::move(commands.restore);
}

}  // namespace

void keep_jvmti_log_off_stdout(JNIEnv* jni) { silence(jni, "jvmti"); }

RegistrationLogOffStdout::RegistrationLogOffStdout(JNIEnv* jni)
    : jni_(jni), to_restore_(silence(jni, "jni+resolve")) {}

RegistrationLogOffStdout::~RegistrationLogOffStdout() {
  if (!to_restore_.empty()) management::run_diagnostic_command(jni_, to_restore_);
}

}  // namespace ddm
