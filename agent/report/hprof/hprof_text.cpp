#include "report/hprof/hprof_text.h"

#include <fmt/format.h>

#include <ctime>
#include <iterator>
#include <map>

#include "core/class_names.h"
#include "core/jvm_text.h"
#include "report/report_pieces.h"
#include "report/report_time.h"

namespace ddm {
namespace {

std::int64_t whole_ms(std::int64_t ns) { return (ns + 500'000) / 1'000'000; }

constexpr std::string_view kExplained =
    "This text has the layout of hprof. Each site is a class and the stack that\n"
    "allocated it, innermost method first; the stacks are the TRACEs, and the table\n"
    "of the sites (SITES) names them by their numbers. \"alloc'ed\" is everything\n"
    "since recording began, \"live\" what of it is still there; \"self\" is a site's share\n"
    "of what the table is ordered by.\n\n";

constexpr std::string_view kTimeExplained =
    "This text has the layout of hprof. CPU SAMPLES are stacks that were met running,\n"
    "each for one interval of CPU, or with cpu=wall met anywhere, each for one of\n"
    "elapsed time; CPU TIME are the calls of timed methods and the time in the method\n"
    "itself, under the timed methods that called it; MONITOR TIME is waiting to enter\n"
    "synchronized code. The stacks are the TRACEs, innermost method first.\n\n";

std::string live_words(const ReportSummary& summary) {
  if (summary.engine == kEngineMalloc) {
    return "Of native memory only what is not freed is known: \"alloc'ed\" is that, and the live\n"
           "columns are 0.\n\n";
  }
  if (!summary.live) {
    return "What is still alive was not followed, so the live columns are 0 and the sites\n"
           "are ordered by what was allocated. live=y among the agent's options follows it.\n\n";
  }
  std::string out = fmt::format(
      "Live is what garbage collection {} has not found dead, and what was allocated\n"
      "after it.\n",
      summary.live->gc);
  if (summary.live_is_estimated()) out += "The live figures are estimates.\n";
  return out + '\n';
}

std::string thread_starts(const ReportData& data) {
  std::map<std::int64_t, std::string> names = data.thread_names;
  for (const ThreadBytes& thread : data.summary.threads) {
    names.emplace(thread.thread_id, thread.name);
  }
  std::string out;
  for (const auto& [id, name] : names) {
    if (id > 0) out += hprof_thread_start(id, name, "");
  }
  return out;
}

// hprof does not say which class a lock is.
std::string monitor_name(const std::string& type) {
  const bool is_class = type.starts_with(class_object_name(""));
  return (is_class ? std::string(kClassObject) : type) + " (Java)";
}

}  // namespace

void hprof_text_trace(std::span<const HprofFrame> stack, std::int64_t thread, ReportNames& names,
                      HprofNumbers& numbers, std::string& out) {
  const auto [number, fresh] = numbers.trace(stack, thread);
  if (!fresh) return;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "TRACE {}:", number);
  if (thread != 0) fmt::format_to(to, " (thread={})", HprofNumbers::thread(thread));
  out += stack.empty() ? "\n\t<empty>\n" : "\n";
  for (const HprofFrame& frame : stack) {
    const PrintableMethod& method = names.method(frame.method);
    const std::string place = frame.line >= 0             ? std::to_string(frame.line)
                              : frame.line == kLineNative ? "Native method"
                                                          : "Unknown line";
    fmt::format_to(to, "\t{}({}:{})\n", method.qualified,
                   method.file.empty() ? "<Unknown Source>" : method.file, place);
  }
}

std::string hprof_date(std::int64_t ms_since_epoch) {
  const auto seconds = static_cast<std::time_t>(ms_since_epoch / 1000);
  std::tm local{};
  char text[32] = "";  // asctime: English names of days and months in every locale
  if (localtime_r(&seconds, &local) == nullptr || asctime_r(&local, text) == nullptr) return "";
  const std::string_view line(text);
  return std::string(line.substr(0, line.find('\n')));
}

std::string hprof_text_head(std::int64_t created_ms, std::string_view explained) {
  return fmt::format("JAVA PROFILE 1.0.1, created {}\n\n{}--------\n\n", hprof_date(created_ms),
                     explained);
}

std::string hprof_explanation(const ReportSummary& summary) {
  std::string out = fmt::format("Program: {}, pid {}\n", printable(summary.app), summary.pid);
  if (!summary.vm.empty()) out += fmt::format("VM: {}\n", printable(summary.vm));
  if (const auto shown = shown_by_engine(summary); !shown.empty()) {
    out += fmt::format("The figures show {}.\n", shown);
  }
  if (summary.sampled()) {
    out += fmt::format("All figures are estimates, from {}.\n", sampling_words(summary));
  }
  return out + '\n';
}

std::string hprof_thread_start(std::int64_t id, std::string_view name, std::string_view group) {
  return fmt::format("THREAD START (obj=0, id = {}, name=\"{}\", group=\"{}\")\n",
                     HprofNumbers::thread(id), printable(name), printable(group));
}

std::string hprof_thread_end(std::int64_t id) {
  return fmt::format("THREAD END (id = {})\n", HprofNumbers::thread(id));
}

void hprof_text_sites(const HprofSites& sites, ReportNames& names, HprofNumbers& numbers,
                      std::int64_t written_ms, const ReportSink& sink) {
  ReportPieces pieces(sink);
  std::string& out = pieces.text();
  for (const HprofSite& site : sites.list()) {
    if (!pieces.wanted()) return;
    hprof_text_trace(sites.stack(site), site.thread, names, numbers, out);
  }
  const auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "SITES BEGIN (ordered by {} bytes) {}\n"
                 "          percent          live          alloc'ed  stack class\n"
                 " rank   self  accum     bytes objs     bytes  objs trace name\n",
                 sites.order() == HprofOrder::kLive ? "live" : "allocated", hprof_date(written_ms));
  std::size_t rank = 0;
  double accum = 0;
  for (const HprofSite& site : sites.list()) {
    if (!pieces.wanted()) return;
    const double self = 100 * sites.share(site);
    accum += self;
    fmt::format_to(to, "{:5} {:5.2f}% {:5.2f}% {:9} {:4} {:9} {:5} {:5} {}\n", ++rank, self, accum,
                   site.live_bytes, site.live_count, site.bytes, site.count,
                   numbers.trace(sites.stack(site), site.thread).value,
                   names.class_name(site.class_id));
  }
  out += "SITES END\n";
  pieces.finish();
}

std::string hprof_text_costs(const TimeStacks& stacks, ReportNames& names, const HprofView& view,
                             HprofNumbers& numbers, std::int64_t written_ms) {
  const HprofCosts costs(stacks, names, view);
  const bool monitors = stacks.of == TimeStacks::Of::kLocks;
  const bool samples = stacks.of == TimeStacks::Of::kSamples;
  const std::string_view title = monitors  ? "MONITOR TIME"
                                 : samples ? "CPU SAMPLES"
                                           : "CPU TIME (ms)";
  std::string out;
  for (const HprofCost& cost : costs.list()) {
    hprof_text_trace(cost.stack, 0, names, numbers, out);
  }
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{} BEGIN (total = {}{}) {}\n", title,
                 samples ? costs.total() : whole_ms(costs.total()), monitors ? " ms" : "",
                 hprof_date(written_ms));
  if (!costs.list().empty()) {
    fmt::format_to(to, "rank   self  accum   count trace {}\n", monitors ? "monitor" : "method");
  }
  std::size_t rank = 0;
  double accum = 0;
  for (const HprofCost& cost : costs.list()) {
    const double self = 100 * costs.share(cost);
    accum += self;
    const std::string name = monitors             ? monitor_name(names.class_name(cost.class_id))
                             : cost.stack.empty() ? "<empty trace>"
                                                  : names.method(cost.stack[0].method).qualified;
    fmt::format_to(to, "{:4} {:5.2f}% {:5.2f}% {:7} {:5} {}\n", ++rank, self, accum, cost.count,
                   numbers.trace(cost.stack).value, name);
  }
  fmt::format_to(to, "{} END\n", title);
  return out;
}

std::string hprof_text_callers(const TimeStacks& stacks, ReportNames& names,
                               const HprofView& view) {
  const auto qualified = [&](std::span<const HprofFrame> stack, std::size_t at,
                             std::string_view none) -> std::string {
    if (at >= stack.size()) return std::string(none);
    const PrintableMethod& method = names.method(stack[at].method);
    return method.qualified + printable(method.entry->signature);
  };
  std::string out = "count callee caller time\n";
  const HprofCosts costs(stacks, names, view);
  for (const HprofCost& cost : costs.list()) {
    fmt::format_to(std::back_inserter(out), "{} {} {} {}\n", cost.count,
                   qualified(cost.stack, 0, "<unknown callee>"),
                   qualified(cost.stack, 1, "<unknown caller>"), whole_ms(cost.cost));
  }
  return out;
}

// All sites and stacks, without a cutoff.
void hprof_text_report(const ReportData& data, const ReportSink& sink) {
  ReportNames names(data.names);
  HprofNumbers numbers;
  const std::int64_t now = data.summary.written_ms;
  const bool sites = !has_time_only(data);
  std::string explained(sites ? kExplained : "");
  if (!sites || !data.time.empty()) explained += kTimeExplained;
  explained += hprof_explanation(data.summary);
  if (sites) explained += live_words(data.summary);
  if (!sink(hprof_text_head(now, explained) + thread_starts(data))) return;
  if (sites) hprof_text_sites(HprofSites(data, names, {}), names, numbers, now, sink);
  std::string time;
  const auto add = [&](const TimeStacks& stacks) {
    time += hprof_text_costs(stacks, names, {}, numbers, now);
  };
  if (data.time.sampler) add(TimeStacks::of_samples(data.time));
  if (!data.time.methods.empty()) add(TimeStacks::of_methods(data.time));
  if (data.time.monitor_on) add(TimeStacks::of_locks(data.time));
  if (!time.empty()) sink(time);
}

}  // namespace ddm
