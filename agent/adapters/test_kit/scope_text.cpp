#include "adapters/test_kit/scope_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/jvm_text.h"

namespace ddm {
namespace {

struct Sums {
  std::int64_t objects = 0, bytes = 0;
};

// The name as UTF-8, without the format's separators.
std::string one_name(const std::string& name) {
  std::string text = utf8_of(name);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return text;
}

void append_frame(std::string& text, const MethodName& method, std::int32_t bci) {
  text += fmt::format("\t{}\x01{}\x01{}\x01{}", one_name(method.class_name),
                      one_name(method.method), one_name(method.file), line_of(method, bci));
}

}  // namespace

std::string scope_sums(const ScopeFigures& figures, const std::optional<LiveAmount>& alive) {
  Sums own, first;
  for (const ScopeSite& site : figures.list) {
    Sums& sums = site.first_use ? first : own;
    sums.objects += site.objects;
    sums.bytes += site.bytes;
  }
  const LiveAmount living = alive.value_or(LiveAmount{-1, -1});
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", own.objects, own.bytes, first.objects,
                     first.bytes, figures.lost, living.objects, living.bytes);
}

std::string scope_text(const ScopeFigures& figures, const std::optional<LiveAmount>& alive,
                       const NameTable& names, std::size_t most, std::size_t most_frames) {
  std::string text = scope_sums(figures, alive);
  const CallTree& tree = figures.sites->traces();
  std::array<Frame, kMaxTreeDepth + 1> buffer;
  for (std::size_t i = 0; i < std::min(most, figures.list.size()); ++i) {
    const ScopeSite& site = figures.list[i];
    text += fmt::format("{}\t{}\t{}{}\t{}", site.objects, site.bytes, site.first_use ? 'f' : '-',
                        site.own ? 'o' : '-', one_name(names.class_name(site.class_id)));
    std::size_t count = 0;
    if (site.trace > kCutTrace) count = tree.read(site.trace, buffer);
    count = std::min({count, std::size_t{site.frames}, most_frames});
    for (const Frame& frame : std::span(buffer).first(count)) {
      append_frame(text, names.method(frame.method), frame.bci);
    }
    text += '\n';
  }
  return text;
}

}  // namespace ddm
