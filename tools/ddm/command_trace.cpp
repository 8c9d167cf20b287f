// ddm trace: every call of chosen methods for some seconds, or samples of stacks, as a trace file
// or as sums.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

#include "call_tree_text.h"
#include "command.h"
#include "core/class_names.h"
#include "core/clocks.h"
#include "core/temporary_directory.h"
#include "file_at_end.h"
#include "idle_samples.h"
#include "interrupt.h"
#include "json_values.h"
#include "report/report.h"
#include "report/report_pieces.h"
#include "report/report_words.h"
#include "report/traces/method_trace.h"
#include "running_methods.h"
#include "trace_sums.h"
#include "wire/chunks/profiling.h"
#include "wire/chunks/report_chunk.h"

namespace ddm {
namespace {

constexpr std::uint32_t kDualClock = 0x110;
constexpr std::size_t kTopMethods = 25, kTreeLines = 30, kTreeLinesInFile = 1000;
constexpr std::string_view kEndings = ".trace, .html, .txt, .collapsed or .json";

struct TraceOptions : TargetOptions {
  std::string methods;
  std::string path;
  double seconds = 10;
  std::int64_t megabytes = 64;
  double sample_ms = 0;  // 0: calls are traced, nothing is sampled
  double least_ms = 0;
  std::string below;
  RunningRule running;
  bool cpu = false;
};

bool has_known_ending(const std::string& path) {
  constexpr std::string_view kKnown[] = {".trace", ".html", ".txt", ".collapsed", ".json"};
  return std::ranges::any_of(kKnown, [&](auto ending) { return path.ends_with(ending); });
}

// Methods that have the name of another one, with their parameters.
std::map<std::uint32_t, std::string> titles_of(const MethodTrace& trace) {
  std::map<std::string, int> named;
  for (const auto& [id, method] : trace.methods) ++named[method.class_name + "." + method.method];
  std::map<std::uint32_t, std::string> titles;
  for (const auto& [id, method] : trace.methods) {
    std::string& title = titles[id] = method.class_name + "." + method.method;
    if (named[title] > 1) title += simple_parameters(method.signature);
  }
  return titles;
}

std::string table_of(const MethodTrace& trace, const TraceSums& sums, std::size_t most,
                     std::size_t tree_lines, std::size_t width) {
  TextTable table({">CALLS", ">EXCEPTIONS", ">SELF ms", ">TOTAL ms", ".METHOD"});
  const auto titles = titles_of(trace);
  for (std::size_t i = 0; i < std::min(most, sums.methods.size()); ++i) {
    const TraceSum& sum = sums.methods[i];
    table.add({grouped(sum.calls), grouped(sum.exceptions),
               fmt::format("{:.3f}", static_cast<double>(sum.self_micros) / 1000),
               fmt::format("{:.3f}", static_cast<double>(sum.total_micros) / 1000),
               titles.at(sum.method)});
  }
  std::string text = table.text(width);
  if (sums.methods.size() > most) {
    text += fmt::format("and {}\n", counted(sums.methods.size() - most, "more method"));
  }
  if (const std::string tree = call_tree_text(sums, titles, tree_lines, width); !tree.empty()) {
    text += "\n" + tree;
  }
  const std::string notes = trace_notes(trace);
  return notes.empty() ? text : text + "\n" + wrapped(notes, 0, width) + "\n";
}

Json json_of(const MethodTrace& trace, const TraceSums& sums) {
  Json methods = json_list(sums.methods, [&](const TraceSum& sum) {
    const TraceMethod& method = trace.methods.at(sum.method);
    Json row = {{"class", json_text(method.class_name)},
                {"method", json_text(method.method)},
                {"signature", json_text(method.signature)},
                {"calls", sum.calls},
                {"exceptions", sum.exceptions},
                {"total_us", sum.total_micros},
                {"self_us", sum.self_micros}};
    if (trace.dual) row["cpu_us"] = sum.cpu_micros;
    return row;
  });
  Json json = {{"elapsed_us", trace.elapsed_micros}, {"overflow", trace.overflow}};
  if (trace.lost > 0) json["lost"] = trace.lost;
  if (trace.rounds > 0) json["rounds"] = trace.rounds;
  json["methods"] = std::move(methods);
  return json;
}

std::optional<Error> write_file(const TraceOptions& options, const std::string& bytes,
                                const MethodTrace& trace, const TraceSums& sums,
                                const HelloReply& hello) {
  const std::string& path = options.path;
  if (path.ends_with(".txt")) {
    return write_report_file(
        path, table_of(trace, sums, sums.methods.size(), kTreeLinesInFile, kNoWidth));
  }
  if (path.ends_with(".collapsed")) {
    return write_report_file(path, printable_lines(collapsed_of(trace, sums)));
  }
  if (path.ends_with(".trace")) return write_report_file(path, bytes);
  const TraceNames names(trace);
  if (path.ends_with(".html")) {
    return write_report_file(path,
                             html_report(trace_report(trace, sums, names, hello, epoch_ms())));
  }
  return write_report_file(path, [&](const ReportSink& sink) {
    firefox_trace(trace, names, hello.app, hello.vm, sink);
    return true;
  });
}

std::string nothing_text(const TraceOptions& options) {
  if (options.sample_ms > 0) return "no thread was met running";
  if (options.least_ms == 0) {
    return with_meant_pattern("no call of such a method was seen", options.methods);
  }
  return fmt::format("no call of such a method lasted {} ms or longer", options.least_ms);
}

// `lost`: whether the trace is neither shown nor in a file.
int write(const TraceOptions& options, const std::string& bytes, const HelloReply& hello,
          bool* lost = nullptr) {
  if (lost != nullptr) *lost = true;
  MethodTrace trace;
  const std::string problem = read_method_trace(bytes, trace);
  if (!problem.empty()) return refuse("the target sent no trace that can be read: " + problem);
  if (options.sample_ms > 0 && trace.interval_micros == 0) {  // from an older agent
    trace.interval_micros = static_cast<std::uint64_t>(options.sample_ms * 1000);
  }
  const TraceSums sums = sums_of(trace);
  if (!options.path.empty()) {
    const auto error = write_file(options, bytes, trace, sums, hello);
    if (error) return refuse(error->message);
  }
  if (lost != nullptr) *lost = false;
  if (options.json) {
    print_json(json_of(trace, sums));
  } else if (trace.interval_micros > 0 && !trace.methods.empty()) {
    // Threads that wait for work would take all the lines.
    const IdleSamples idle = idle_samples(trace, sums);
    if (idle.micros > 0) print_sentence(idle.text());
    print(table_of(trace, idle.rest, kTopMethods, kTreeLines, output_width()));
  } else if (!trace.methods.empty()) {
    print(table_of(trace, sums, kTopMethods, kTreeLines, output_width()));
  }
  if (!options.json && !options.path.empty()) print("trace written to {}\n", options.path);
  return trace.methods.empty() ? refuse(nothing_text(options)) : kExitOk;
}

// The connection has ended. If that is because the program has, it has written its trace itself.
int finish(const TraceOptions& options, const FileAtEnd& file, const HelloReply& hello,
           const Error& error) {
  if (file.await()) {
    std::string bytes;
    const auto unread = file.read(into(bytes));
    if (unread) {
      return refuse("the trace of the program, which has ended, is left in " + file.place() +
                    " (take it within a day): " + unread->message);
    }
    complain("the program has ended; this is what it did until then");
    bool lost = false;
    const int status = write(options, bytes, hello, &lost);
    if (lost) {
      complain("the trace is left in " + file.place() + "; take it within a day");
    } else {
      file.remove();
    }
    return status;
  }
  if (const std::string told = file.interruption(); !told.empty()) return refuse(told);
  const bool killed = file.program_has_ended() && !file.path().empty();
  return refuse(error.message + "; what it traced is lost" +
                (killed ? " (a program that is killed leaves no trace)" : ""));
}

int trace(const TraceOptions& options) {
  if (!options.path.empty()) {
    if (const std::string problem = unwritable(options.path); !problem.empty()) {
      return refuse(problem);
    }
  }
  const auto target = resolve_target(options.target);
  if (!target) return refuse(target.message());
  auto client = connect_to_target(*target);
  if (!client) return refuse(client.message());
  const auto hello = client->get<HelloReply>(to_chunk(HelloRequest{}));
  if (!hello) return refuse(hello.message());
  const bool sampling = options.sample_ms > 0;
  FileAtEnd file(*client, options.path.empty() ? temporary_directory() + "/trace" : options.path);
  if (!client->offers(kReportFeature)) file.forget("it has another agent");
  const auto bytes = static_cast<std::uint32_t>(options.megabytes << 20);
  const std::uint32_t flags = options.cpu ? kDualClock : 0;
  const auto start = [&] {
    const Chunk request =
        sampling
            ? to_chunk(SampleRequest{
                  bytes, flags, static_cast<std::uint32_t>(options.sample_ms * 1000), file.path()})
            : to_chunk(TraceRequest{bytes, flags, options.methods,
                                    static_cast<std::uint32_t>(options.least_ms * 1000),
                                    options.below, file.path()});
    return client->request(request, DdmClient::kLongWork);
  };
  Progress progress(sampling ? "sampling" : "tracing");
  client->on_progress([&progress](std::size_t) { progress.show(0); });
  catch_interrupts();
  client->cancel_when(interrupted);  // the agent then removes its hooks
  if (!sampling) {
    if (const auto end =
            check_running_methods(*client, {options.methods, options.below}, options.running)) {
      return *end;
    }
  }
  auto started = start();
  // The program may have ended just when it began, and have written what there was.
  if (!started && !interrupted() && client->listen(std::chrono::milliseconds(100)) &&
      file.await()) {
    return finish(options, file, *hello, started.error());
  }
  while (!started && file.refused(started.error())) started = start();
  client->cancel_when(nullptr);
  if (!started) return refuse(started.message());
  if (file.path().empty()) {
    complain("if the program ends first, its trace is lost: " + file.lacking());
  }
  if (const auto gone = client->idle(options.seconds, interrupted)) {
    progress.clear();
    return finish(options, file, *hello, *gone);
  }
  const auto answer =
      client->request({sampling ? kStopSampling : kStopTracing, {}}, DdmClient::kLongWork);
  progress.clear();
  if (!answer && !FileAtEnd::connection_ends(*client)) return refuse(answer.message());
  if (!answer) return finish(options, file, *hello, answer.error());
  if (answer->type != kTraceData) return refuse(DdmClient::unexpected(*answer).message);
  return write(options, std::string(answer->data.begin(), answer->data.end()), *hello);
}

std::string names_some(const std::string& patterns) {
  return patterns.find_first_not_of(", ") == std::string::npos
             ? "no method is named; right is 'shop.*' or '*.Cart.total'"
             : "";
}

}  // namespace

void add_trace(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "trace", "Trace calls of methods for some seconds", trace);
  add_text(command, "PID", options.target, kTargetHelp);
  const auto methods = add_text(command, "--methods", options.methods,
                                "Methods to trace, such as 'shop.*' or '*.Cart.total'; several "
                                "with commas; by default all except the JDK's",
                                "METHOD")
                           ->check(names_some);
  const auto least =
      add_milliseconds(command, "--min", options.least_ms,
                       "Only calls of at least this duration: ms, or with a unit (500us, 1ms, 2s); "
                       "calls in progress at the end are omitted",
                       0.001, 4'000'000);
  const auto below =
      add_text(command, "--below", options.below,
               "Only these methods and their callees; patterns as in --methods", "METHOD")
          ->check(names_some);
  const auto sample = add_milliseconds(
      command, "--sample", options.sample_ms,
      "Rewrite no classes: sample the stacks of running threads at this interval in ms, and derive "
      "calls from the differences between samples",
      0.1, 10'000);
  exclude(sample, {methods, least, below});
  add_duration(command, "-d,--for,--seconds", options.seconds, "Duration; Ctrl-C ends it earlier",
               0.01, 4000);
  add_file(command, "-o", options.path,
           fmt::format("Also write a file: {}; .json is for profiler.firefox.com", kEndings))
      ->check([](const std::string& path) {
        return has_known_ending(path) ? std::string()
                                      : fmt::format("'{}': a trace ends in {}", path, kEndings);
      });
  add_number(command, "--buffer", options.megabytes,
             "Size of the trace buffer in MiB; 10 bytes for each entry or exit", 1, 256, "MIB");
  add_running_rule(command, options.running);
  add_flag(command, "--cpu", options.cpu,
           "Also measure the CPU time of threads (in .trace, .html and --json)");
  add_flag(command, "--json", options.json,
           "{elapsed_us, overflow, methods: [{class, method, signature, calls, "
           "exceptions, total_us, self_us}]}; with --cpu also cpu_us, with --sample rounds, after "
           "an overflow lost (entries and exits)");
}

}  // namespace ddm
