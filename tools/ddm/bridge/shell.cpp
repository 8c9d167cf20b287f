#include "bridge/shell.h"

#include <unistd.h>

#include <array>
#include <cctype>

namespace ddm {
namespace {

constexpr char kStdout = 1;
constexpr char kExit = 3;
constexpr int kNotFound = 127;

// Below 31 a server asks for track-jdwp; from 30 on it reads all fields of HELO.
constexpr const char* kApiLevel = "30";

#if defined(__x86_64__)
constexpr const char* kAbi = "x86_64";
#elif defined(__aarch64__)
constexpr const char* kAbi = "arm64-v8a";
#else
constexpr const char* kAbi = "unknown";
#endif

// As part of a property: adb's banner gives a meaning to ; and =.
std::string host_name() {
  std::array<char, 65> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  std::string result = name.data();
  for (char& c : result) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.') c = '_';
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string shell_packet(char stream, std::string_view data) {
  std::string out(1, stream);
  for (int i = 0; i < 4; ++i) out += static_cast<char>(data.size() >> 8 * i);
  return out.append(data);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> device_properties() {
  return {
      {"ro.build.version.sdk", kApiLevel},
      {"ro.build.version.release", "11"},
      {"ro.build.type", "userdebug"},
      {"ro.debuggable", "1"},
      {"ro.product.manufacturer", "OpenJDK"},
      {"ro.product.model", "JVMs on " + host_name()},
      {"ro.product.name", "ddm"},
      {"ro.product.device", host_name()},
      {"ro.product.cpu.abi", kAbi},
      {"ro.product.cpu.abilist", kAbi},
      {"dev.bootcomplete", "1"},
      {"sys.boot_completed", "1"},
  };
}

ShellAnswer answer_shell(std::string_view command) {
  command = trimmed(command);
  const std::size_t space = std::min(command.find_first_of(" \t"), command.size());
  const std::string_view program = command.substr(0, space);
  const std::string_view argument = trimmed(command.substr(space));
  if (program.empty()) {
    return {"ddm: this device is the JVMs of a machine; it has no shell, but knows getprop\n",
            kNotFound};
  }
  if (program != "getprop") {
    return {"ddm: " + std::string(program) + ": not found\n", kNotFound};
  }
  ShellAnswer answer;
  for (const auto& [name, value] : device_properties()) {
    if (argument.empty()) {
      answer.text += "[" + name + "]: [" + value + "]\n";
    } else if (argument == name) {
      answer.text = value;
    }
  }
  if (!argument.empty()) answer.text += "\n";  // a missing property is empty, as in getprop
  return answer;
}

std::string as_shell_v2(const ShellAnswer& answer) {
  return shell_packet(kStdout, answer.text) +
         shell_packet(kExit, std::string(1, static_cast<char>(answer.exit_code)));
}

}  // namespace ddm
