#include "native/native_stacks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/whole_text.h"

namespace ddm {
namespace {

// "shop.Cache.fill(Cache.java:88)".
NativeFrame java_frame(const std::string& text) {
  NativeFrame frame;
  const std::size_t open = text.rfind('(');
  const std::string name = text.substr(0, open);
  const std::size_t dot = name.rfind('.');
  frame.class_name = dot == std::string::npos ? name : name.substr(0, dot);
  frame.method = dot == std::string::npos ? "" : name.substr(dot + 1);
  if (open == std::string::npos) return frame;
  std::string place = text.substr(open + 1);
  if (place.ends_with(')')) place.pop_back();
  const std::size_t colon = place.rfind(':');
  frame.file = place.substr(0, colon);
  if (colon != std::string::npos) frame.line = number_in<int>(place.substr(colon + 1)).value_or(0);
  return frame;
}

}  // namespace

std::string symbol_text(const NativeFrame& frame) {
  return frame.symbol.empty() ? fmt::format("{:#x}", frame.offset) : frame.symbol;
}

std::string text_of(const NativeFrame& frame) {
  if (frame.is_java()) {
    return fmt::format("{}.{}({}{})", frame.class_name, frame.method, frame.file,
                       frame.line > 0 ? fmt::format(":{}", frame.line) : "");
  }
  const std::string library = frame.library.substr(frame.library.rfind('/') + 1);
  if (!frame.symbol.empty()) return library + " " + frame.symbol;
  return library.empty() ? fmt::format("{:#x}", frame.offset)
                         : fmt::format("{}+{:#x}", library, frame.offset);
}

NativeStacks::NativeStacks(const NativeHeap& heap,
                           std::function<std::string(const std::string&)> path_of)
    : path_of_(std::move(path_of)) {
  const NativePlaces places(heap.maps);
  std::map<std::vector<NativeFrame>, NativeStack> by_frames;
  for (const NativeHeap::Record& record : heap.records) {
    std::vector<NativeFrame> frames;
    for (const std::uint64_t address : record.backtrace) {
      frames.push_back(frame_of(places.find(address)));
      // Calls from two places of one function are one frame.
      if (!frames.back().symbol.empty()) frames.back().offset = 0;
    }
    NativeStack& stack = by_frames[frames];
    stack.frames = frames;
    stack.bytes += static_cast<std::int64_t>(record.size * record.count);
    stack.count += static_cast<std::int64_t>(record.count);
    stack.by_size[record.size] += static_cast<std::int64_t>(record.count);
  }
  for (auto& [frames, stack] : by_frames) stacks_.push_back(std::move(stack));
  std::ranges::stable_sort(stacks_, std::greater<>(), &NativeStack::bytes);
}

std::vector<NativeStack> difference(const std::vector<NativeStack>& before,
                                    const std::vector<NativeStack>& after) {
  std::map<std::vector<NativeFrame>, NativeStack> by_frames;
  for (const NativeStack& stack : after) by_frames[stack.frames] = stack;
  for (const NativeStack& stack : before) {
    NativeStack& now = by_frames[stack.frames];
    now.frames = stack.frames;
    now.bytes -= stack.bytes;
    now.count -= stack.count;
    for (const auto& [size, count] : stack.by_size) now.by_size[size] -= count;
  }
  std::vector<NativeStack> changed;
  for (auto& [frames, stack] : by_frames) {
    if (stack.bytes != 0 || stack.count != 0) changed.push_back(std::move(stack));
  }
  std::ranges::stable_sort(changed, std::greater<>(), &NativeStack::bytes);
  return changed;
}

NativeFrame NativeStacks::frame_of(const NativePlace& place) {
  if (!place.java.empty()) return java_frame(place.java);
  NativeFrame frame;
  frame.library = place.file;
  frame.offset = place.offset;
  if (!place.file.starts_with('/')) return frame;
  auto& symbols = libraries_[place.file];
  if (symbols == nullptr) symbols = std::make_unique<ElfSymbols>(path_of_(place.file));
  // A return address lies behind its call.
  frame.symbol = symbols->at(place.offset == 0 ? 0 : place.offset - 1);
  return frame;
}

}  // namespace ddm
