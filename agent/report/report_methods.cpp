#include "report/report_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/jvm_text.h"
#include "report/report_words.h"

namespace ddm {
namespace {

std::string milliseconds(std::int64_t ns) {
  return fmt::format("{}.{:03}", grouped(ns / 1'000'000), ns / 1'000 % 1'000);
}

}  // namespace

std::string method_table(const std::vector<MethodTime>& times, std::size_t rows,
                         std::size_t columns) {
  std::string out;
  if (times.empty()) return out;
  std::int64_t all = 0, calls = 0;
  for (const MethodTime& time : times) {
    all += time.self_ns;
    calls += time.calls;
  }
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "\nTimed methods: {}, {} calls, {} ms in all threads\n",
                 grouped(static_cast<std::int64_t>(times.size())), grouped(calls),
                 milliseconds(all));
  fmt::format_to(to, "{:>7} {:>12} {:>12} {:>11}  {}\n", "self", "self ms", "total ms", "calls",
                 "method");
  const std::size_t method_columns = columns - 47;
  std::int64_t exceptions = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const MethodTime& time = times[i];
    exceptions += time.exceptions;
    if (i >= rows) continue;
    // The method's own name is kept whole if it fits.
    const std::string method = printable(time.method);
    const std::size_t left = method_columns - std::min(method_columns - 4, method.size() + 1);
    fmt::format_to(to, "{:>7} {:>12} {:>12} {:>11}  {}.{}\n", share_of(time.self_ns, all),
                   milliseconds(time.self_ns), milliseconds(time.total_ns), grouped(time.calls),
                   shortened_type(printable(time.class_name), left),
                   shortened(method, method_columns - 5));
  }
  if (times.size() > rows) {
    fmt::format_to(to, "  and {} more methods\n",
                   grouped(static_cast<std::int64_t>(times.size() - rows)));
  }
  if (exceptions > 0) {
    fmt::format_to(to, "  {} calls ended by an exception\n", grouped(exceptions));
  }
  return out;
}

}  // namespace ddm
