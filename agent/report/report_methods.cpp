#include "report/report_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/class_names.h"
#include "core/jvm_text.h"
#include "report/report_words.h"

namespace ddm {
namespace {

std::string milliseconds(std::int64_t ns) {
  return fmt::format("{}.{:03}", grouped(ns / 1'000'000), ns / 1'000 % 1'000);
}

// For each method what its name lacks to be told from the others of its class: "", its parameters, or,
// where these read the same, its descriptor.
std::vector<std::string> distinguishing_parameters(const std::vector<MethodTime>& methods) {
  using Name = std::tuple<std::string_view, std::string_view, std::string>;
  std::vector<std::string> added(methods.size());
  for (const bool again : {false, true}) {
    std::map<Name, int> alike;
    const auto name_of = [&](std::size_t i) {
      return Name(methods[i].class_name, methods[i].method, added[i]);
    };
    for (std::size_t i = 0; i < methods.size(); ++i) ++alike[name_of(i)];
    std::vector<std::string> more = added;
    for (std::size_t i = 0; i < methods.size(); ++i) {
      if (alike[name_of(i)] == 1) continue;
      more[i] = again ? methods[i].signature : simple_parameters(methods[i].signature);
    }
    added = std::move(more);
  }
  return added;
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
  fmt::format_to(to, "\nTimed methods: {}, {}, {} ms in all threads\n", grouped(times.size()),
                 counted(calls, "call"), milliseconds(all));
  fmt::format_to(to, "{:>7} {:>12} {:>12} {:>11}  {}\n", "self", "self ms", "total ms", "calls",
                 "method");
  const std::size_t method_columns = columns - 47;
  std::int64_t exceptions = 0;
  const std::vector<std::string> parameters = distinguishing_parameters(times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const MethodTime& time = times[i];
    exceptions += time.exceptions;
    if (i >= rows) continue;
    // The method's own name is kept whole if it fits.
    const std::string method = printable(time.method + parameters[i]);
    const std::size_t left = method_columns - std::min(method_columns - 4, method.size() + 1);
    fmt::format_to(to, "{:>7} {:>12} {:>12} {:>11}  {}.{}\n", share_of(time.self_ns, all),
                   milliseconds(time.self_ns), milliseconds(time.total_ns), grouped(time.calls),
                   shortened_type(printable(time.class_name), left),
                   shortened(method, method_columns - 5));
  }
  if (times.size() > rows) {
    fmt::format_to(to, "  and {}\n", counted(times.size() - rows, "more method"));
  }
  if (exceptions > 0) {
    fmt::format_to(to, "  {} ended by an exception\n", counted(exceptions, "call"));
  }
  return out;
}

}  // namespace ddm
