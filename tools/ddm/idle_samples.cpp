#include "idle_samples.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "report/report_words.h"
#include "stack/names/idle_waits.h"

namespace ddm {
namespace {

using MethodNumbers = std::vector<std::uint32_t>;

MethodNumbers methods_of(const TraceSums& sums, std::int32_t innermost) {
  MethodNumbers methods;
  for (std::int32_t at = innermost; at >= 0;) {
    const TracePath& path = sums.paths[static_cast<std::size_t>(at)];
    methods.push_back(path.sum.method);
    at = path.caller;
  }
  return methods;
}

bool is_idle(const MethodTrace& trace, const MethodNumbers& methods) {
  const auto name_of = [&](std::size_t i) {
    const TraceMethod& method = trace.methods.at(methods[i]);
    return std::pair<std::string_view, std::string_view>(method.class_name, method.method);
  };
  return is_idle_wait("", "", methods.size(), name_of);
}

}  // namespace

IdleSamples idle_samples(const MethodTrace& trace, const TraceSums& sums) {
  IdleSamples idle;
  std::set<std::int32_t> idle_paths;
  for (std::size_t i = 0; i < sums.paths.size(); ++i) {
    const std::uint64_t micros = sums.paths[i].sum.self_micros;
    const auto number = static_cast<std::int32_t>(i);
    if (micros == 0) continue;
    idle.all_micros += micros;
    if (!is_idle(trace, methods_of(sums, number))) continue;
    idle_paths.insert(number);
    idle.micros += micros;
  }
  std::set<std::uint16_t> threads;
  for (const auto& [key, micros] : sums.stacks) {
    if (idle_paths.contains(key.second)) threads.insert(key.first);
  }
  idle.threads = threads.size();
  idle.rest = sums_of(trace, idle_paths);
  std::erase_if(idle.rest.methods, [](const TraceSum& sum) { return sum.calls == 0; });
  if (idle.micros > 0 && idle.micros == idle.all_micros) {
    idle.rest.methods.clear();
    idle.rest.paths.clear();
  }
  return idle;
}

std::string IdleSamples::text() const {
  if (micros == 0) return "";
  return fmt::format(
      "idle: {}, {} of the samples, not in these figures (a file of -o has them)",
      counted(static_cast<std::int64_t>(threads), "thread"),
      share_of(static_cast<std::int64_t>(micros), static_cast<std::int64_t>(all_micros)));
}

}  // namespace ddm
