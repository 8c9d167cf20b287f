#include "serve/cpu_samples.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/clocks.h"
#include "json_values.h"
#include "report/report_pieces.h"
#include "wire_report.h"

namespace ddm {
namespace {

using Counts = std::map<std::string, std::int64_t>;

std::string key_of_stack(const Json& line) {
  return json_line(line.value("stack", Json())) + json_line(line.value("thread", Json())) +
         (line.contains("truncated") ? "cut" : "");
}

Counts counts_of(const std::vector<Json>& lines) {
  Counts counts;
  for (const Json& line : lines) {
    if (text_of(line, "type") == "sample") counts[key_of_stack(line)] += number_of(line, "count");
  }
  return counts;
}

// The methods of sampled stacks. Their line tables are made from the lines in the stacks.
class SampledMethods {
 public:
  void add(const Json& frame) {
    Method& method = methods_[key_of(frame)];
    MethodName& name = method.name;
    name.class_name = text_of(frame, "class");
    name.method = text_of(frame, "method");
    name.signature = text_of(frame, "signature");
    name.file = text_of(frame, "file");
    const std::int64_t line = number_of(frame, "line"), bci = number_of(frame, "bci");
    name.native = name.native || line == kLineNative;
    if (fits(line) && fits(bci)) method.lines.insert_or_assign(bci, line);
  }

  void add_to(NameTable& table) {
    for (auto& [key, method] : methods_) {
      for (const auto& [bci, line] : method.lines) {
        method.name.lines.push_back(
            {static_cast<std::uint16_t>(bci), static_cast<std::uint16_t>(line)});
      }
      method.id = table.add_method(method.name);
    }
  }

  Frame frame(const Json& json) const {
    const std::int64_t bci = number_of(json, "bci");
    const bool has_line = fits(bci) && fits(number_of(json, "line"));
    return {methods_.at(key_of(json)).id,
            has_line ? static_cast<std::int32_t>(bci) : kNativeFrameBci};
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  static Key key_of(const Json& frame) {
    return {text_of(frame, "class"), text_of(frame, "method"), text_of(frame, "signature"),
            text_of(frame, "file")};
  }
  // Whether the number is a u2, as in a class file.
  static bool fits(std::int64_t number) {
    return number >= 0 && number <= std::numeric_limits<std::uint16_t>::max();
  }

  struct Method {
    MethodName name;
    std::map<std::int64_t, std::int64_t> lines;  // by bytecode index
    NameId id = 0;
  };
  std::map<Key, Method> methods_;
};

bool is_stack(const Json& line) {
  const auto stack = line.find("stack");
  if (stack == line.end() || !stack->is_array()) return false;
  return std::ranges::all_of(*stack, [](const Json& frame) { return frame.is_object(); });
}

}  // namespace

Result<std::string> cpu_samples_profile(const std::vector<Json>& before,
                                        const std::vector<Json>& after, const HelloReply& hello,
                                        std::chrono::nanoseconds passed) {
  const auto sampler_json = after.empty() ? Json() : after.front().value("sampler", Json());
  if (!sampler_json.is_object()) return Error{"the program tells of no sampler"};
  Counts old = counts_of(before);
  SampledMethods methods;
  std::vector<std::pair<const Json*, std::int64_t>> added;
  for (const Json& line : after) {
    if (text_of(line, "type") != "sample") continue;
    if (!is_stack(line)) return Error{"the target's samples are not as expected"};
    std::int64_t& already = old[key_of_stack(line)];
    const std::int64_t count = number_of(line, "count") - std::exchange(already, 0);
    if (count <= 0) continue;
    added.emplace_back(&line, count);
    for (const Json& frame : line["stack"]) methods.add(frame);
  }
  NameTable table;
  methods.add_to(table);
  ReportData data;
  data.names = &table;
  data.summary = summary_of(hello, epoch_ms());
  SamplerFigures sampler;
  sampler.requested_ns = number_of(sampler_json, "asked_ns");
  sampler.on_ns = std::chrono::nanoseconds(passed).count();
  data.time.sampler = sampler;
  for (const auto& [line, count] : added) {
    StackSample sample;
    sample.count = count;
    sample.thread = text_of(*line, "thread");
    sample.cut = line->contains("truncated");
    for (const Json& frame : (*line)["stack"]) sample.frames.push_back(methods.frame(frame));
    data.time.samples.push_back(std::move(sample));
  }
  std::string profile;
  pprof_report(data, into(profile));
  return profile;
}

}  // namespace ddm
