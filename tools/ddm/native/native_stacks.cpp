#include "native/native_stacks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/whole_text.h"
#include "native/elf_symbols.h"

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

// Without its directory.
std::string library_of(const NativeFrame& frame) {
  return frame.library.substr(frame.library.rfind('/') + 1);
}

std::vector<NativeStack> most_bytes_first(std::map<std::vector<NativeFrame>, NativeStack> stacks) {
  std::vector<NativeStack> result;
  for (auto& [frames, stack] : stacks) {
    stack.frames = frames;
    result.push_back(std::move(stack));
  }
  std::ranges::stable_sort(result, std::greater<>(), &NativeStack::bytes);
  return result;
}

constexpr std::string_view kBlocks = "malloc";
constexpr std::size_t kMaxNativeFrames = 255;

Frame named(NameTable& names, std::map<NativeFrame, Frame>& known, const NativeFrame& frame) {
  const auto [at, is_new] = known.try_emplace(frame);
  if (!is_new) return at->second;
  MethodName method;
  if (frame.is_java()) {
    method.class_name = frame.class_name;
    method.method = frame.method;
    method.file = frame.file;
    if (frame.line > 0 && frame.line <= 0xffff) {
      method.lines = {{0, static_cast<std::uint16_t>(frame.line)}};
    }
  } else {
    const std::string library = library_of(frame);
    method.class_name = library.empty() ? "[no library]" : library;
    method.method = symbol_text(frame);
    method.file = library;
    method.native = true;
  }
  const bool has_line = !method.lines.empty();
  at->second = {names.add_method(std::move(method)), has_line ? 0 : kNativeFrameBci};
  return at->second;
}

NativeFrame frame_of_name(const MethodName& method, std::int32_t bci) {
  NativeFrame frame;
  if (!method.native) {
    frame.class_name = method.class_name;
    frame.method = method.method;
    frame.file = method.file;
    frame.line = std::max(line_of(method, bci), 0);
    return frame;
  }
  frame.library = method.file;
  const auto offset = method.method.starts_with("0x")
                          ? number_in<std::uint64_t>(method.method.substr(2), 16)
                          : std::nullopt;
  frame.offset = offset.value_or(0);
  if (!offset) frame.symbol = method.method;
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
  const std::string library = library_of(frame);
  if (!frame.symbol.empty()) return library + " " + frame.symbol;
  return library.empty() ? fmt::format("{:#x}", frame.offset)
                         : fmt::format("{}+{:#x}", library, frame.offset);
}

std::vector<NativeStack> native_stacks(
    const NativeHeap& heap, const std::function<std::string(const std::string&)>& path_of) {
  std::map<std::string, ElfSymbols> libraries;
  const auto frame_of_place = [&](const NativePlace& place) {
    if (!place.java.empty()) return java_frame(place.java);
    NativeFrame frame;
    frame.library = place.file;
    frame.offset = place.offset;
    if (!place.file.starts_with('/')) return frame;
    auto library = libraries.find(place.file);
    if (library == libraries.end()) {
      library = libraries.emplace(place.file, path_of(place.file)).first;
    }
    // A return address lies behind its call. Calls from two places of one function are one frame.
    frame.symbol = library->second.at(place.offset == 0 ? 0 : place.offset - 1);
    if (!frame.symbol.empty()) frame.offset = 0;
    return frame;
  };
  const NativePlaces places(heap.maps);
  std::map<std::vector<NativeFrame>, NativeStack> by_frames;
  for (const NativeHeap::Record& record : heap.records) {
    std::vector<NativeFrame> frames;
    for (const std::uint64_t address : record.backtrace) {
      frames.push_back(frame_of_place(places.find(address)));
    }
    NativeStack& stack = by_frames[frames];
    stack.bytes += static_cast<std::int64_t>(record.size * record.count);
    stack.count += static_cast<std::int64_t>(record.count);
    stack.by_size[record.size] += static_cast<std::int64_t>(record.count);
  }
  return most_bytes_first(std::move(by_frames));
}

std::vector<NativeStack> native_stacks(const ReportData& report) {
  std::map<std::vector<NativeFrame>, NativeStack> by_frames;
  for (std::size_t i = 0; i < report.records.size(); ++i) {
    const auto [record, recorded] = report.records[i];
    std::vector<NativeFrame> frames;
    for (const Frame& frame : recorded) {
      frames.push_back(frame_of_name(report.names->method(frame.method), frame.bci));
    }
    NativeStack& stack = by_frames[frames];
    const auto count = static_cast<std::int64_t>(record.weight);
    stack.count += count;
    stack.bytes += record.size * count;
    stack.by_size[static_cast<std::uint64_t>(record.size)] += count;
  }
  return most_bytes_first(std::move(by_frames));
}

std::vector<NativeStack> difference(const std::vector<NativeStack>& before,
                                    const std::vector<NativeStack>& after) {
  std::map<std::vector<NativeFrame>, NativeStack> by_frames;
  for (const NativeStack& stack : after) by_frames[stack.frames] = stack;
  for (const NativeStack& stack : before) {
    NativeStack& now = by_frames[stack.frames];
    now.bytes -= stack.bytes;
    now.count -= stack.count;
    for (const auto& [size, count] : stack.by_size) now.by_size[size] -= count;
  }
  std::vector<NativeStack> changed = most_bytes_first(std::move(by_frames));
  std::erase_if(changed, [](const NativeStack& one) { return one.bytes == 0 && one.count == 0; });
  return changed;
}

ReportData native_report(const std::vector<NativeStack>& stacks, const HelloReply& hello,
                         std::int64_t interval, std::int64_t now_ms) {
  ReportData report;
  const auto names = std::make_shared<NameTable>();
  report.names = names.get();
  report.names_held = names;
  const NameId blocks = names->add_class(kBlocks);
  std::map<NativeFrame, Frame> known;
  std::size_t entries = 0, frames_in_all = 0;
  for (const NativeStack& stack : stacks) {
    entries += stack.by_size.size();
    frames_in_all += stack.by_size.size() * stack.frames.size();
  }
  ReportSummary& summary = report.summary = summary_of(hello, now_ms);
  report.records.reserve(entries, frames_in_all);
  std::uint64_t seq = 0;
  std::vector<Frame> frames;
  for (auto stack = stacks.rbegin(); stack != stacks.rend(); ++stack) {
    frames.clear();
    for (const NativeFrame& frame : stack->frames) {
      if (frames.size() < kMaxNativeFrames) frames.push_back(named(*names, known, frame));
    }
    for (const auto& [size, count] : stack->by_size) {
      if (count <= 0) continue;
      AllocRecord record;
      record.seq = ++seq;
      record.size = static_cast<std::int64_t>(size);
      record.weight = static_cast<float>(count);
      record.class_id = blocks;
      report.records.append_newer(record, frames);
      summary.seen += count;
      summary.seen_bytes += static_cast<std::int64_t>(size) * count;
    }
  }
  summary.engine = kEngineMalloc;
  summary.walker = kEngineUnknown;
  summary.interval = interval;
  summary.samples.reset();  // the blocks of a stack are one sum
  return report;
}

}  // namespace ddm
