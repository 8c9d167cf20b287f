// ddm native: live native memory by stack (native functions and the Java frames that called them),
// or what changed since a mark. Also switches sampling on and off.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "command.h"
#include "core/clocks.h"
#include "core/jvm_text.h"
#include "core/whole_text.h"
#include "difference_page.h"
#include "json_values.h"
#include "jvm_process.h"
#include "marks.h"
#include "native/native_stacks.h"
#include "report/collapsed_stack.h"
#include "report/report_words.h"
#include "report_fetch.h"
#include "saved_report.h"
#include "site_rows.h"
#include "wire/chunks/native_heap.h"
#include "wire/sockets/discovery.h"

namespace ddm {
namespace {

constexpr std::string_view kCollapsed = ".collapsed";
constexpr std::string_view kNativeEndings = ".html, .pb.gz, .collapsed, .txt, .jsonl or .hprof.txt";

struct NativeOptions : TargetOptions {
  std::string action;  // "", "on", "off"
  std::string path, mark, since;
  std::int64_t interval = std::int64_t{512} << 10;
  bool interval_given = false;
  std::size_t top = 10;
};

constexpr std::size_t kNativeFramesShown = 8;
constexpr std::size_t kAnyFrames = std::numeric_limits<std::size_t>::max();

struct NativeTextLimits {
  std::size_t stacks, frames;    // to be shown; of a difference so many that grew and that shrank
  std::size_t width = kNoWidth;  // of the terminal
};

std::string bytes_text(std::int64_t bytes, bool with_sign) {
  return (with_sign && bytes > 0 ? "+" : "") + human_bytes(bytes);
}

std::string fitting(const NativeFrame& frame, std::size_t width) {
  std::string text = text_of(frame);
  if (columns_of(text) <= width) return text;
  if (!frame.is_java()) return shortened(text, width);
  const int line = frame.line > 0 ? frame.line : kLineUnknown;
  return frame_text({frame.class_name, frame.method, frame.file, line}, width);
}

// "about 3.0 MiB in 200 blocks of malloc that are not freed, ...", then the stacks; of a difference
// "about +3.0 MiB in +200 blocks of malloc since mark 'one', ...", then what grew and what shrank.
std::string native_text(const std::vector<NativeStack>& stacks, std::string_view mark,
                        NativeTextLimits limits) {
  const bool with_sign = !mark.empty();
  std::string text =
      wrapped(fmt::format("about {} in {} blocks of malloc {}, estimated from samples",
                          bytes_text(sum_of(stacks, &NativeStack::bytes), with_sign),
                          count_text(sum_of(stacks, &NativeStack::count), with_sign),
                          with_sign ? fmt::format("since mark '{}'", mark) : "that are not freed"),
              0, limits.width) +
      "\n";
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

// {bytes, count, stack}
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

// As lines: one of {type: "difference", ...}, then one of {type: "change", ...} for each stack.
std::string native_change_lines(const std::vector<NativeStack>& changes, std::string_view mark,
                                const ReportSummary& summary) {
  std::string lines = Json{{"type", "difference"},
                           {"pid", summary.pid},
                           {"app", json_text(summary.app)},
                           {"engine", summary.engine},
                           {"interval", summary.interval},
                           {"since", json_text(std::string(mark))},
                           {"bytes", sum_of(changes, &NativeStack::bytes)},
                           {"count", sum_of(changes, &NativeStack::count)},
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

Json native_json(const std::vector<NativeStack>& stacks) {
  return {{"rows", json_list(stacks, native_stack_json)}};
}

// Outermost first, as flame graph tools take it.
std::string collapsed(const std::vector<NativeStack>& stacks, const ReportSummary& summary) {
  const std::string remark = estimated_frame(summary);
  std::string text;
  for (const NativeStack& stack : stacks) {
    std::string line;
    if (!remark.empty()) append_collapsed(line, remark);
    for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame) {
      append_collapsed(line, printable(text_of(*frame)));
    }
    if (stack.frames.empty()) append_collapsed(line, "(no stack)");
    text += fmt::format("{} {}\n", line, stack.bytes);
  }
  return text;
}

// The stacks, or with --since what grew and what shrank since `before`: a page of two colours, the
// text that is shown, or lines of JSON.
std::optional<Error> save(const NativeOptions& options, const std::vector<NativeStack>& before,
                          const std::vector<NativeStack>& stacks, DdmClient& client,
                          std::uint64_t interval) {
  const auto hello = client.get<HelloReply>(to_chunk(HelloRequest{}));
  if (!hello) return hello.error();
  const auto report_of = [&](const std::vector<NativeStack>& of) {
    return native_report(of, *hello, static_cast<std::int64_t>(interval), epoch_ms());
  };
  const ReportData now = report_of(stacks);
  if (options.path.ends_with(kCollapsed)) {
    return write_report_file(options.path, collapsed(stacks, now.summary));
  }
  const ReportFormat format = *report_format_of(options.path);
  if (options.since.empty()) return write_report_file(options.path, format, now);
  const std::vector<NativeStack> changes = difference(before, stacks);
  std::string text;
  if (format == ReportFormat::kHtml) {
    DifferencePage page;
    page.add_records(report_of(before), DifferencePage::kBefore);
    page.add_records(now, DifferencePage::kAfter);
    text = page.html(fmt::format("Since mark '{}'.", options.since));
  } else if (format == ReportFormat::kJsonl) {
    text = native_change_lines(changes, options.since, now.summary);
  } else {
    text = printable_lines(fmt::format("Native memory of {}, pid {}\n", hello->app, hello->pid) +
                           native_text(changes, options.since, {changes.size(), kAnyFrames}));
  }
  return write_report_file(options.path, text);
}

// "" or why not.
std::string format_error(const std::string& path) {
  if (path.empty() || path.ends_with(kCollapsed)) return "";
  const auto format = report_format_of(path);
  if (format && !needs_live(*format) && !needs_sites(*format)) return "";
  return fmt::format("'{}': of native memory there are {}", path, kNativeEndings);
}

std::string difference_format_error(const NativeOptions& options) {
  if (options.since.empty() || options.path.empty()) return "";
  const auto format = report_format_of(options.path);
  if (format == ReportFormat::kHtml || format == ReportFormat::kText ||
      format == ReportFormat::kJsonl) {
    return "";
  }
  return fmt::format("'{}': a difference of native memory is written as .html, .txt or .jsonl",
                     options.path);
}

int switch_sampling(const NativeOptions& options, DdmClient& client) {
  const bool on = options.action == "on";
  const auto before = client.get<NativeSamplingState>({NativeSamplingState::kType, {}});
  const std::uint64_t interval = on ? static_cast<std::uint64_t>(options.interval) : 0;
  const auto state = client.get<NativeSamplingState>(to_chunk(NativeSamplingRequest{interval}));
  if (!state) return refuse(state.message());
  if (options.json) return print_json({{"on", on}, {"interval", state->interval}});
  if (on) {
    print("native allocations are sampled from now on, one byte in {}\n",
          human_bytes(options.interval));
  } else if (before && before->period == 0) {
    print_sentence(
        "native allocations are not sampled, and were not before: `ddm native PID on` starts it");
  } else {
    print("native allocations are not sampled any more; what was can still be read\n");
  }
  return kExitOk;
}

// A target that writes no reports does not send its start time; its pid alone identifies it.
NativeMoment moment_of(DdmClient& client, const NativeSamplingState& state) {
  NativeMoment moment;
  if (const auto hello = client.get<HelloReply>(to_chunk(HelloRequest{}))) moment.pid = hello->pid;
  if (const auto summary = fetch_summary(client)) {
    moment.process_start = static_cast<std::uint64_t>(number_of(*summary, "process_start"));
  }
  moment.period = state.period;
  return moment;
}

// 0: the target may be on another machine, whose libraries are others than those here.
pid_t local_pid(const std::string& target, DdmClient& client, const NativeSamplingState& state) {
  if (const auto pid = number_in<pid_t>(target)) return *pid;
  const NativeMoment moment = moment_of(client, state);
  const auto pid = static_cast<pid_t>(moment.pid);
  return process_start_time(pid) == moment.process_start ? pid : 0;
}

int print_stacks(const NativeOptions& options, const std::vector<NativeStack>& stacks) {
  if (options.json) return print_json(native_json(stacks));
  print(native_text(stacks, options.since, {options.top, kNativeFramesShown, output_width()}));
  return kExitOk;
}

int show_saved(const NativeOptions& options) {
  if (!options.action.empty() || !options.mark.empty() || !options.since.empty()) {
    return misused(options.target + " is a saved report: only -o, --top and --json go with it");
  }
  auto report = read_saved_report(options.target);
  if (!report) return refuse(report.message());
  if (!report->summary.of_native_memory()) {
    return refuse(options.target + " is not of native memory; `ddm allocs` shows it");
  }
  if (options.path.empty()) return print_stacks(options, native_stacks(*report));
  const auto error =
      options.path.ends_with(kCollapsed)
          ? write_report_file(options.path, collapsed(native_stacks(*report), report->summary))
          : write_saved(std::move(*report), options.path, /*recent=*/false, "");
  if (error) return refuse(error->message);
  print("report written to {}\n", options.path);
  return kExitOk;
}

int native(const NativeOptions& given) {
  NativeOptions options = given;
  // `ddm native on` means the only program.
  if (options.action.empty() && (options.target == "on" || options.target == "off")) {
    std::swap(options.action, options.target);
  }
  if (options.interval_given && options.action != "on") {
    return misused("--interval goes with on: `ddm native PID on --interval 64k`");
  }
  for (const std::string& fault : {format_error(options.path), difference_format_error(options),
                                   marks_fault(options.mark, options.since)}) {
    if (!fault.empty()) return misused(fault);
  }
  if (is_saved_report(options.target)) return show_saved(options);
  const auto named = resolve_target(options.target);
  if (!named) return refuse(named.message());
  auto client = connect_to_target(*named);
  if (!client) return refuse(client.message());
  if (!options.action.empty()) return switch_sampling(options, *client);
  const auto heap = client->get<NativeHeap>({NativeHeap::kType, {}});
  if (!heap) return refuse(heap.message());
  const auto asked = client->get<NativeSamplingState>({NativeSamplingState::kType, {}});
  const NativeSamplingState state = asked ? *asked : NativeSamplingState{};
  const std::uint64_t interval = state.readable_interval.value_or(state.interval);
  const pid_t pid = local_pid(*named, *client, state);
  const auto jvm = JvmProcess::find(pid);
  const bool local = pid != 0 || named->starts_with("unix:");
  const auto path_of = [&](const std::string& path) {
    return jvm ? jvm->path(path) : local ? path : std::string();
  };
  std::vector<NativeStack> stacks = native_stacks(*heap, path_of);
  if (!options.mark.empty()) {
    const auto wrong = set_native_mark(options.mark, moment_of(*client, state), *heap);
    if (wrong) return refuse(wrong->message);
    print("marked {}: {} of native memory\n", options.mark, human_bytes(heap->total_bytes));
    return kExitOk;
  }
  std::vector<NativeStack> then;
  if (!options.since.empty()) {
    const auto before = find_native_mark(options.since, moment_of(*client, state));
    if (!before) return refuse(before.message());
    then = native_stacks(*before, path_of);
  }
  if (!options.path.empty()) {
    const auto wrong = save(options, then, stacks, *client, interval);
    if (wrong) return refuse(wrong->message);
    print("{} written to {}\n", options.since.empty() ? "report" : "difference", options.path);
    return kExitOk;
  }
  if (!options.since.empty()) stacks = difference(then, stacks);
  return print_stacks(options, stacks);
}

}  // namespace

void add_native(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "native", "Show live native memory by allocation stack", native);
  add_text(command, "PID", options.target,
           std::string(kTargetHelp) + "; or a saved report (.jsonl)");
  const auto action = add_choice(command, "ACTION", options.action, {"on", "off"},
                                 "on: start sampling native allocations; off: stop it");
  add_bytes(command, "--interval", options.interval, "With on: bytes between samples", 1,
            std::int64_t{1} << 40)
      ->each([&options = options](const std::string&) { options.interval_given = true; });
  add_top(command, options.top,
          "Number of stacks to show; with --since, of those that grew and of those that shrank");
  const auto mark =
      add_text(command, "--mark", options.mark, "Save the current figures under a name", "NAME");
  const auto since =
      add_text(command, "--since", options.since,
               "What grew and what shrank since figures were saved under this name", "NAME");
  const auto file =
      add_file(command, "-o", options.path,
               fmt::format("Write a report to a file: {}; with --since .html, .txt or "
                           ".jsonl",
                           kNativeEndings));
  const auto json = add_flag(command, "--json", options.json,
                             "All: {rows: [{bytes, count, stack: [{symbol, library} or {class, "
                             "method, file, line}]}]}; with ACTION {on, interval}");
  exclude(json, {file});
  exclude(mark, {since, file, json});
  exclude(action, {mark, since, file});
}

}  // namespace ddm
