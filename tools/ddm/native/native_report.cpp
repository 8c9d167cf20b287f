#include "native/native_report.h"

#include <algorithm>
#include <map>

namespace ddm {
namespace {

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
    const std::string library = frame.library.substr(frame.library.rfind('/') + 1);
    method.class_name = library.empty() ? "[no library]" : library;
    method.method = symbol_text(frame);
    method.file = library;
    method.native = true;
  }
  const bool has_line = !method.lines.empty();
  at->second = {names.add_method(std::move(method)), has_line ? 0 : kNativeFrameBci};
  return at->second;
}

}  // namespace

NamedReport native_report(const std::vector<NativeStack>& stacks, const HelloReply& hello,
                          std::int64_t interval, std::int64_t now_ms) {
  NamedReport report;
  NameTable& names = *report.names;
  const NameId blocks = names.add_class(kBlocks);
  std::map<NativeFrame, Frame> known;
  std::size_t entries = 0, frames_in_all = 0;
  for (const NativeStack& stack : stacks) {
    entries += stack.by_size.size();
    frames_in_all += stack.by_size.size() * stack.frames.size();
  }
  ReportSummary& summary = report.data.summary = summary_of(hello, now_ms);
  report.data.records.reserve(entries, frames_in_all);
  std::uint64_t seq = 0;
  std::vector<Frame> frames;
  for (auto stack = stacks.rbegin(); stack != stacks.rend(); ++stack) {
    frames.clear();
    for (const NativeFrame& frame : stack->frames) {
      if (frames.size() < kMaxNativeFrames) frames.push_back(named(names, known, frame));
    }
    for (const auto& [size, count] : stack->by_size) {
      if (count <= 0) continue;
      AllocRecord record;
      record.seq = ++seq;
      record.size = static_cast<std::int64_t>(size);
      record.weight = static_cast<float>(count);
      record.class_id = blocks;
      report.data.records.append_newer(record, frames);
      summary.seen += count;
      summary.seen_bytes += static_cast<std::int64_t>(size) * count;
    }
  }
  summary.engine = kEngineMalloc;
  summary.walker = kEngineUnknown;
  summary.interval = interval;
  summary.samples.reset();  // the blocks of a stack are one sum
  report.data.names = report.names.get();
  return report;
}

}  // namespace ddm
