#include "adapters/test_kit/site_lines.h"

#include <algorithm>
#include <array>
#include <span>

#include "report/report_json.h"

namespace ddm {
namespace {

// Beyond this number, names are dropped and defined again.
constexpr std::size_t kMostKnown = 1 << 18;

}  // namespace

std::uint32_t SiteLines::frame_number(std::string& out, const Frame& frame,
                                      const NameTable& names) {
  const std::uint64_t key =
      (std::uint64_t{frame.method} << 32) | static_cast<std::uint32_t>(frame.bci);
  if (frames_.size() >= kMostKnown) frames_.clear();
  const auto [at, is_new] = frames_.try_emplace(key, last_frame_ + 1);
  if (is_new) {
    const MethodName& method = names.method(frame.method);
    out += R"({"frame":)";
    append_json_number(out, ++last_frame_);
    append_frame_members(out, method, line_of(method, frame.bci));
    out += "}\n";
  }
  return at->second;
}

const std::string& SiteLines::class_text(NameId id, const NameTable& names) {
  if (classes_.size() >= kMostKnown) classes_.clear();
  const auto [at, is_new] = classes_.try_emplace(id);
  if (is_new) append_json_string(at->second, names.class_name(id));
  return at->second;
}

void SiteLines::append(std::string& out, std::string_view test, const ScopeFigures& figures,
                       const NameTable& names) {
  std::string begin = R"({"test":)";
  append_json_string(begin, test);
  begin += R"(,"class":)";
  const CallTree& tree = figures.sites->traces();
  std::array<Frame, kFramesOfLargest> buffer;
  std::size_t shown = 0;
  std::string stack;
  for (const ScopeSite& site : figures.list) {
    if (site.first_use) continue;
    if (++shown > kMostSites) break;
    const std::size_t most = std::min<std::size_t>(
        site.frames, shown <= kLargestSites ? kFramesOfLargest : kFramesOfOthers);
    const std::size_t count = tree.read(site.trace, std::span(buffer).first(most));
    stack.clear();
    for (const Frame& frame : std::span(buffer).first(count)) {
      stack += stack.empty() ? '[' : ',';
      append_json_number(stack, frame_number(out, frame, names));
    }
    out += begin;
    out += class_text(site.class_id, names);
    out += R"(,"count":)";
    append_json_number(out, site.objects);
    out += R"(,"bytes":)";
    append_json_number(out, site.bytes);
    out += R"(,"stack":)";
    out += stack.empty() ? "[" : stack;
    out += "]}\n";
  }
}

}  // namespace ddm
