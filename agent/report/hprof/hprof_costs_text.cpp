#include <fmt/format.h>

#include <iterator>

#include "core/jvm_text.h"
#include "report/hprof/hprof_text.h"

namespace ddm {
namespace {

std::int64_t whole_ms(std::int64_t ns) { return (ns + 500'000) / 1'000'000; }

// One table, preceded by the stacks not yet in the stream. `begin`: its first line, up to the date;
// `name(cost)`: the last column.
template <typename Name>
std::string costs_table(const HprofCosts& costs, ReportNames& names, HprofNumbers& numbers,
                        std::int64_t written_ms, const std::string& begin, std::string_view end,
                        std::string_view last_column, Name name) {
  std::string out;
  for (const HprofCost& cost : costs.list()) {
    hprof_text_trace(costs.stack(cost), 0, names, numbers, out);
  }
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{} {}\n", begin, hprof_date(written_ms));
  if (!costs.list().empty()) {
    fmt::format_to(to, "rank   self  accum   count trace {}\n", last_column);
  }
  std::size_t rank = 0;
  double accum = 0;
  for (const HprofCost& cost : costs.list()) {
    const double self = 100 * costs.share(cost);
    accum += self;
    fmt::format_to(to, "{:4} {:5.2f}% {:5.2f}% {:7} {:5} {}\n", ++rank, self, accum, cost.count,
                   numbers.trace(costs.stack(cost)).value, name(cost));
  }
  fmt::format_to(to, "{}\n", end);
  return out;
}

auto innermost_of(const HprofCosts& costs, ReportNames& names) {
  return [&](const HprofCost& cost) -> std::string {
    const auto stack = costs.stack(cost);
    return stack.empty() ? "<empty trace>" : names.method(stack.front().method).qualified;
  };
}

}  // namespace

std::string hprof_text_samples(const HprofCosts& costs, ReportNames& names, HprofNumbers& numbers,
                               std::int64_t written_ms) {
  return costs_table(costs, names, numbers, written_ms,
                     fmt::format("CPU SAMPLES BEGIN (total = {})", costs.total()),
                     "CPU SAMPLES END", "method", innermost_of(costs, names));
}

std::string hprof_text_times(const HprofCosts& costs, ReportNames& names, HprofNumbers& numbers,
                             std::int64_t written_ms) {
  return costs_table(costs, names, numbers, written_ms,
                     fmt::format("CPU TIME (ms) BEGIN (total = {})", whole_ms(costs.total())),
                     "CPU TIME (ms) END", "method", innermost_of(costs, names));
}

std::string hprof_text_monitors(const HprofCosts& costs, ReportNames& names, HprofNumbers& numbers,
                                std::int64_t written_ms) {
  return costs_table(costs, names, numbers, written_ms,
                     fmt::format("MONITOR TIME BEGIN (total = {} ms)", whole_ms(costs.total())),
                     "MONITOR TIME END", "monitor", [&](const HprofCost& cost) {
                       return names.class_name(cost.class_id) + " (Java)";
                     });
}

std::string hprof_text_callers(const HprofCosts& costs, ReportNames& names) {
  const auto qualified = [&](std::span<const HprofFrame> stack, std::size_t at,
                             std::string_view none) -> std::string {
    if (at >= stack.size()) return std::string(none);
    const PrintableMethod& method = names.method(stack[at].method);
    return method.qualified + printable(method.entry->signature);
  };
  std::string out = "count callee caller time\n";
  for (const HprofCost& cost : costs.list()) {
    const auto stack = costs.stack(cost);
    fmt::format_to(std::back_inserter(out), "{} {} {} {}\n", cost.count,
                   qualified(stack, 0, "<unknown callee>"), qualified(stack, 1, "<unknown caller>"),
                   whole_ms(cost.cost));
  }
  return out;
}

}  // namespace ddm
