#include "serve/metrics_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "core/jvm_text.h"

namespace ddm {
namespace {

struct Metric {
  const char* name;
  const char* type;
  const char* help;
  std::function<std::optional<double>(const WatchedJvm&)> value;
};

template <typename T>
std::function<std::optional<double>(const WatchedJvm&)> figure(T of) {
  return [of](const WatchedJvm& jvm) -> std::optional<double> {
    if (!jvm.figures) return {};
    return of(*jvm.figures);
  };
}
std::optional<double> number(const std::optional<std::int64_t>& value) {
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

const std::vector<Metric>& all_metrics() {
  static const std::vector<Metric> kMetrics = {
      {"ddm_up", "gauge", "Whether the program has answered.",
       [](const WatchedJvm& jvm) { return jvm.figures ? 1.0 : 0.0; }},
      {"ddm_tracking", "gauge", "Whether allocations are tracked.",
       figure([](const JvmFigures& f) { return f.tracking ? 1.0 : 0.0; })},
      {"ddm_allocated_bytes_total", "counter",
       "Bytes allocated while tracking was on, since it was last switched on.",
       figure([](const JvmFigures& f) { return number(f.seen_bytes); })},
      {"ddm_allocated_objects_total", "counter",
       "Objects allocated while tracking was on, since it was last switched on.",
       figure([](const JvmFigures& f) { return number(f.seen); })},
      {"ddm_live_bytes", "gauge", "Bytes of followed objects that are alive (live=).",
       figure([](const JvmFigures& f) { return number(f.live_bytes); })},
      {"ddm_heap_used_bytes", "gauge", "Bytes of the Java heap in use, garbage included.",
       figure([](const JvmFigures& f) { return number(f.heap_used); })},
      {"ddm_heap_max_bytes", "gauge", "What the Java heap may grow to.",
       figure([](const JvmFigures& f) { return number(f.heap_max); })},
      {"ddm_collections_total", "counter", "Collections of all collectors since the VM began.",
       figure([](const JvmFigures& f) { return number(f.collections); })},
      {"ddm_collection_seconds_total", "counter", "Time that they took.",
       figure([](const JvmFigures& f) {
         const auto ms = number(f.collection_ms);
         return ms ? std::optional<double>(*ms / 1000) : std::nullopt;
       })},
      {"ddm_threads", "gauge", "Live threads, without virtual ones.",
       figure([](const JvmFigures& f) { return number(f.threads); })},
      {"ddm_agent_cpu_seconds_total", "counter", "CPU time of the agent's own threads.",
       [](const WatchedJvm& jvm) { return jvm.agent_cpu_seconds; }},
  };
  return kMetrics;
}

// Escapes the value of a label; invalid UTF-8 becomes U+FFFD.
std::string label(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  std::string out;
  for (const char c : utf8_of(printable(text.substr(0, kLongest)))) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

std::string line(const char* name, const std::string& labels, double value) {
  // Integers are written as such, without an exponent.
  return value == static_cast<double>(static_cast<std::int64_t>(value))
             ? fmt::format("{}{} {}\n", name, labels, static_cast<std::int64_t>(value))
             : fmt::format("{}{} {}\n", name, labels, value);
}

std::string head(const char* name, const char* type, const char* help) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

}  // namespace

std::string metrics_text(const std::vector<WatchedJvm>& jvms) {
  constexpr std::size_t kOfNobody = 2;
  const std::size_t room = (kMaxSeries - kOfNobody) / all_metrics().size();
  const std::size_t shown = std::min(room, jvms.size());
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < shown; ++i) {
    labels.push_back(fmt::format("{{pid=\"{}\",app=\"{}\"}}", jvms[i].pid, label(jvms[i].app)));
  }
  std::string text = head("ddm_jvms", "gauge", "Programs with the agent.") +
                     line("ddm_jvms", "", static_cast<double>(jvms.size())) +
                     head("ddm_jvms_left_out", "gauge", "Of these, those without series here.") +
                     line("ddm_jvms_left_out", "", static_cast<double>(jvms.size() - shown));
  for (const Metric& metric : all_metrics()) {
    std::string lines;
    for (std::size_t i = 0; i < shown; ++i) {
      if (const auto value = metric.value(jvms[i])) lines += line(metric.name, labels[i], *value);
    }
    if (!lines.empty()) text += head(metric.name, metric.type, metric.help) + lines;
  }
  return text;
}

}  // namespace ddm
