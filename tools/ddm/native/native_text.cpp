#include "native/native_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/report_words.h"
#include "site_rows.h"

namespace ddm {
namespace {

std::string bytes_text(std::int64_t bytes, bool with_sign) {
  return (with_sign && bytes > 0 ? "+" : "") + human_bytes(bytes);
}

std::int64_t bytes_of(const std::vector<NativeStack>& stacks) {
  return sum_of(stacks, &NativeStack::bytes);
}

std::int64_t count_of(const std::vector<NativeStack>& stacks) {
  return sum_of(stacks, &NativeStack::count);
}

std::string fitting(const NativeFrame& frame, std::size_t width) {
  std::string text = text_of(frame);
  if (columns_of(text) <= width) return text;
  if (!frame.is_java()) return shortened(text, width);
  const int line = frame.line > 0 ? frame.line : kLineUnknown;
  return frame_text({frame.class_name, frame.method, frame.file, line}, width);
}

std::string stacks_text(const std::vector<NativeStack>& stacks, NativeTextLimits limits,
                        bool with_sign) {
  std::string text;
  const std::vector<const NativeStack*> shown = both_ends(stacks, limits.stacks);
  for (const NativeStack* stack : shown) {
    text += fmt::format("\n{}, {} blocks\n", bytes_text(stack->bytes, with_sign),
                        count_text(stack->count, with_sign));
    for (std::size_t f = 0; f < std::min(stack->frames.size(), limits.frames); ++f) {
      const std::string_view before = f == 0 ? "    at " : "    by ";
      text +=
          fmt::format("{}{}\n", before, fitting(stack->frames[f], limits.width - before.size()));
    }
    if (stack->frames.size() > limits.frames) {
      text +=
          fmt::format("       {} more\n", counted(stack->frames.size() - limits.frames, "frame"));
    }
  }
  if (stacks.size() > shown.size()) {
    text += fmt::format("\n{} more; --top shows more\n",
                        counted(stacks.size() - shown.size(), "stack"));
  }
  return text;
}

}  // namespace

std::string native_text(const std::vector<NativeStack>& stacks, NativeTextLimits limits) {
  return wrapped(fmt::format("about {} in {} blocks of malloc that are not freed, estimated from "
                             "samples",
                             human_bytes(bytes_of(stacks)), grouped(count_of(stacks))),
                 0, limits.width) +
         "\n" + stacks_text(stacks, limits, false);
}

std::string native_change_text(const std::vector<NativeStack>& changes, std::string_view mark,
                               NativeTextLimits limits) {
  return wrapped(
             fmt::format("about {} in {} blocks of malloc since mark '{}', estimated from samples",
                         bytes_text(bytes_of(changes), true), count_text(count_of(changes), true),
                         mark),
             0, limits.width) +
         "\n" + stacks_text(changes, limits, true);
}

Json native_stack_json(const NativeStack& stack) {
  const auto frame_object = [](const NativeFrame& frame) -> Json {
    if (frame.is_java()) {
      return frame_json(frame.class_name, frame.method, frame.file, frame.line);
    }
    return {{"symbol", json_text(symbol_text(frame))}, {"library", json_text(frame.library)}};
  };
  return {{"bytes", stack.bytes},
          {"count", stack.count},
          {"stack", json_list(stack.frames, frame_object)}};
}

std::string native_change_lines(const std::vector<NativeStack>& changes, std::string_view mark,
                                const ReportSummary& summary) {
  std::string lines = Json{{"type", "difference"},
                           {"pid", summary.pid},
                           {"app", json_text(summary.app)},
                           {"engine", summary.engine},
                           {"interval", summary.interval},
                           {"since", json_text(std::string(mark))},
                           {"bytes", bytes_of(changes)},
                           {"count", count_of(changes)},
                           {"written_ms", summary.written_ms}}
                          .dump() +
                      "\n";
  for (const NativeStack& change : changes) {
    Json line = native_stack_json(change);
    line["type"] = "change";
    lines += line.dump() + "\n";
  }
  return lines;
}

}  // namespace ddm
