#include "bridge/services.h"

#include "bridge/shell.h"
#include "bridge/text_stream.h"
#include "bridge/vm_stream.h"
#include "core/whole_text.h"
#include "wire/sockets/connect.h"

namespace ddm {
namespace {

// On loopback a connection succeeds at once or never.
constexpr std::chrono::milliseconds kProgramTime{500};

constexpr std::size_t kMaxList = 0xffff;  // the largest length in four hex digits

std::string pid_list(const std::vector<Target>& targets) {
  std::string list;
  for (const Target& target : targets) {
    const std::string line = std::to_string(target.pid) + "\n";
    if (list.size() + line.size() > kMaxList) break;
    list += line;
  }
  return list;
}

std::string with_length(const std::string& text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  for (int shift = 12; shift >= 0; shift -= 4) result += kDigits[text.size() >> shift & 0xf];
  return result + text;
}

}  // namespace

std::unique_ptr<Stream> Services::open(std::string_view name) {
  if (name == "track-jdwp") {
    return std::make_unique<UpdateStream>([this] {
      return UpdateStream::Update{targets_.version(), with_length(pid_list(targets_.targets()))};
    });
  }
  if (name == "jdwp") return std::make_unique<TextStream>(pid_list(targets_.targets()));
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return nullptr;
  const std::string_view kind = name.substr(0, colon);
  const std::string_view rest = name.substr(colon + 1);
  if (kind == "jdwp") return open_vm(rest);
  if (kind == "shell" || kind == "exec") {
    return std::make_unique<TextStream>(answer_shell(rest).text);
  }
  // shell,v2,TERM=xterm,raw:COMMAND
  if (kind == "shell,v2" || kind.starts_with("shell,v2,")) {
    return std::make_unique<TextStream>(as_shell_v2(answer_shell(rest)));
  }
  return nullptr;
}

std::unique_ptr<Stream> Services::open_vm(std::string_view text) {
  const auto pid = number_in<pid_t>(text);
  if (!pid) return nullptr;
  for (const Target& target : targets_.targets()) {
    if (target.pid != *pid) continue;
    const auto address = parse_address(target.address);
    if (!address) return nullptr;
    auto socket = connect_to(*address, kProgramTime);
    if (!socket) return nullptr;
    return std::make_unique<VmStream>(std::move(*socket), [lost = lost_] { *lost = true; });
  }
  return nullptr;
}

}  // namespace ddm
