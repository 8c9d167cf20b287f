#include "probe_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "bci/descriptor.h"
#include "chunk_json.h"
#include "core/class_names.h"
#include "report/report_words.h"

namespace ddm {
namespace {

constexpr std::size_t kRecordsShown = 20;  // shown to people
constexpr std::size_t kRecordFrames = 8;
constexpr std::size_t kBar = 30;
constexpr std::size_t kLeastMethod = 16;        // columns
constexpr std::string_view kBudget = "budget";  // the agent's reason

std::string ns_text(double ns) {
  if (ns < 1'000) return fmt::format("{:.0f} ns", ns);
  if (ns < 1'000'000) return fmt::format("{:.1f} us", ns / 1e3);
  if (ns < 1'000'000'000) return fmt::format("{:.1f} ms", ns / 1e6);
  return fmt::format("{:.1f} s", ns / 1e9);
}

std::uint64_t timed(const ProbeFindings::Method& method) {
  std::uint64_t calls = 0;
  for (const std::uint64_t count : method.times) calls += count;
  return calls;
}

// As a pattern of methods may name it: "shop.Cart.total(int,String)".
std::string title_of(const ProbeFindings::Method& method) {
  return printable_format("{}.{}{}", method.class_name, method.method,
                          simple_parameters(method.signature));
}

std::string mean_text(const ProbeFindings::Method& method) {
  const std::uint64_t calls = timed(method);
  return calls > 0 ? ns_text(static_cast<double>(method.ns) / static_cast<double>(calls)) : "-";
}

// With the parameters where there are overloads.
std::string shown_name(const ProbeFindings& findings, const ProbeFindings::Method& method) {
  const auto same = std::ranges::count_if(findings.methods, [&](const auto& other) {
    return other.class_name == method.class_name && other.method == method.method;
  });
  return same > 1 ? title_of(method) : method.class_name + "." + method.method;
}

// Calls that took less than 1, 2, 4, ... ns.
std::string times_text(const ProbeFindings::Method& method) {
  const std::uint64_t most = *std::ranges::max_element(method.times);
  std::string text;
  for (std::size_t i = 0; i < method.times.size(); ++i) {
    if (method.times[i] == 0) continue;
    const auto bar = static_cast<std::size_t>(method.times[i] * kBar / most);
    text +=
        fmt::format("  < {:>9} {:>12} {}\n", ns_text(static_cast<double>(std::uint64_t{1} << i)),
                    grouped(method.times[i]), std::string(std::max<std::size_t>(bar, 1), '#'));
  }
  return text;
}

// Null: it is not shown.
const std::string* this_of(const ProbeFindings::Record& record) {
  const bool has_this = (record.what & kProbeThis) != 0 && !record.arguments.empty();
  return has_this ? &record.arguments.front() : nullptr;
}

std::span<const std::string> arguments_of(const ProbeFindings::Record& record) {
  return std::span(record.arguments).subspan(this_of(record) != nullptr ? 1 : 0);
}

// On one line, and as Java writes it: what is of type String in quotes, as far as the descriptor
// tells, and null without.
std::string value_text(const std::string& value, std::string_view type = "") {
  const bool is_text = value.empty() || (type == "Ljava/lang/String;" && value != "null");
  const std::string_view escaped = is_text ? "\n\r\t\"\\" : "\n\r\t";
  std::string text;
  for (const char c : value) {
    const std::size_t at = escaped.find(c);
    text += at == escaped.npos ? std::string(1, c) : std::string("\\") + "nrt\"\\"[at];
  }
  return is_text ? '"' + printable(text) + '"' : printable(text);
}

// `field`: as the request names it; the argument is its value then. "": those of the method's call.
std::string record_text(const ProbeFindings::Method& method, const ProbeFindings::Record& record,
                        std::string_view field) {
  const bool of_call = field.empty();
  const auto descriptor = bci::MethodDescriptor::parse(method.signature);
  const auto types =
      descriptor && of_call ? descriptor->argument_types() : std::vector<std::string_view>();
  std::vector<std::string> arguments;
  for (const std::string& argument : arguments_of(record)) {
    const std::size_t at = arguments.size();
    arguments.push_back(value_text(argument, at < types.size() ? types[at] : ""));
  }
  std::string text = printable_format("{}: {}", record.thread, method.method);
  if ((record.what & kProbeArguments) != 0) {
    const std::string values = listed(arguments, arguments.size());
    text += of_call ? "(" + values + ")" : printable_format(": {} = {}", field, values);
  }
  if ((record.what & kProbeReturn) != 0) {
    text += " = " + value_text(record.returned, descriptor ? descriptor->result : "");
  }
  if ((record.what & kProbeThrows) != 0) text += " throws " + value_text(record.thrown);
  if (record.ns > 0) text += ", " + ns_text(static_cast<double>(record.ns));
  text += "\n";
  if (const std::string* self = this_of(record)) {
    const char* const type = method.class_name == "java.lang.String" ? "Ljava/lang/String;" : "";
    text += "    this = " + value_text(*self, type) + "\n";
  }
  for (std::size_t i = 0; i < std::min(record.stack.size(), kRecordFrames); ++i) {
    text += frame_line(record.stack[i]);
  }
  if (record.stack.size() > kRecordFrames) {
    text += fmt::format("    ... {} more\n", record.stack.size() - kRecordFrames);
  }
  return text;
}

Json record_json(const ProbeFindings::Record& record) {
  Json json{{"thread", json_text(record.thread)}};
  if (const std::string* self = this_of(record)) json["this"] = json_text(*self);
  if ((record.what & kProbeArguments) != 0) json["args"] = json_texts(arguments_of(record));
  if ((record.what & kProbeReturn) != 0) json["return"] = json_text(record.returned);
  if ((record.what & kProbeThrows) != 0) json["throws"] = json_text(record.thrown);
  if (record.ns > 0) json["ns"] = record.ns;
  if (!record.stack.empty()) json["stack"] = stack_json(record.stack);
  return json;
}

}  // namespace

std::string reason_text(const ProbeFindings::Method& method) {
  return method.removed == kBudget ? "it cost more than the budget" : method.removed;
}

bool any_probe_in(const ProbeFindings& findings) {
  return std::ranges::any_of(findings.methods, &std::string::empty,
                             &ProbeFindings::Method::removed);
}

std::vector<std::string> reasons_text(const ProbeFindings& findings) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;  // in their order
  for (const ProbeFindings::Method& method : findings.methods) {
    if (method.removed.empty()) continue;
    const std::string reason = reason_text(method);
    auto at = std::ranges::find(reasons, reason, &decltype(reasons)::value_type::first);
    if (at == reasons.end()) at = reasons.insert(at, {reason, {}});
    at->second.push_back(shown_name(findings, method));
  }
  std::vector<std::string> lines;
  for (const auto& [reason, methods] : reasons) {
    lines.push_back(listed(methods, kMostNamed) + ": " + reason);
  }
  return lines;
}

void remove_told(const ProbeFindings& start, ProbeFindings& findings) {
  std::erase_if(findings.notes,
                [&](const auto& note) { return std::ranges::count(start.notes, note) != 0; });
  if (any_probe_in(start)) return;
  std::erase_if(findings.methods, [&](const ProbeFindings::Method& method) {
    return std::ranges::any_of(start.methods, [&](const ProbeFindings::Method& then) {
      return then.class_name == method.class_name && then.method == method.method &&
             then.signature == method.signature && then.removed == method.removed &&
             method.hits == 0;
    });
  });
}

void sort_methods(const ProbeRequest& request, ProbeFindings& findings) {
  const bool by_time = (request.what & kProbeTime) != 0;
  std::ranges::stable_sort(findings.methods, {}, [by_time](const ProbeFindings::Method& method) {
    const bool no_probe = !method.removed.empty() && method.removed != kBudget;
    return std::tuple(no_probe, by_time ? ~method.ns : 0, ~method.hits);
  });
}

std::string probe_text(const ProbeRequest& request, const ProbeFindings& findings,
                       std::size_t width) {
  const bool with_times = (request.what & kProbeTime) != 0;
  TextTable table(with_times ? std::vector<std::string>{">HITS", ">TOTAL", ">MEAN", ".METHOD"}
                             : std::vector<std::string>{">HITS", ".METHOD"});
  for (const ProbeFindings::Method& method : findings.methods) {
    std::vector<std::string> cells{grouped(method.hits)};
    if (with_times) {
      cells.push_back(ns_text(static_cast<double>(method.ns)));
      cells.push_back(mean_text(method));
    }
    cells.push_back(shown_name(findings, method));
    table.add(std::move(cells));
    if (!method.removed.empty()) {
      table.add_line(method.removed == kBudget ? "    taken out: " + reason_text(method)
                                               : "    no probe: " + reason_text(method));
    }
  }
  std::string text = findings.methods.empty() ? "" : table.text(width);
  for (const ProbeFindings::Method& method : findings.methods) {
    if (timed(method) > 0) text += "\n" + title_of(method) + "\n" + times_text(method);
    if (method.records.empty()) continue;
    text += "\n" + title_of(method) + "\n";
    for (std::size_t i = 0; i < std::min(method.records.size(), kRecordsShown); ++i) {
      text += record_text(method, method.records[i], request.field);
    }
    if (method.records.size() > kRecordsShown) {
      text += fmt::format("... {} more (--json has all)\n",
                          grouped(method.records.size() - kRecordsShown));
    }
  }
  for (const std::string& note : findings.notes) text += wrapped(printable(note), 0, width) + "\n";
  text += fmt::format("used {}.{} % of the program's CPU, of {} % allowed\n",
                      findings.used_millis / 1000, findings.used_millis % 1000 / 100,
                      findings.limit_percent);
  return text;
}

Json probe_json(const ProbeRequest& request, const ProbeFindings& findings) {
  Json probes = json_list(findings.methods, [&](const ProbeFindings::Method& method) {
    Json probe{{"class", json_text(method.class_name)},
               {"method", json_text(method.method)},
               {"signature", json_text(method.signature)},
               {"hits", method.hits},
               {"total_ns", method.ns}};
    if ((request.what & kProbeTime) != 0) {
      Json times = Json::array();
      for (std::size_t i = 0; i < method.times.size(); ++i) {
        if (method.times[i] == 0) continue;
        times.push_back({{"below_ns", std::uint64_t{1} << i}, {"calls", method.times[i]}});
      }
      probe["times"] = std::move(times);
    }
    probe["records"] = json_list(method.records, record_json);
    probe["removed"] = method.removed.empty() ? Json(nullptr) : json_text(method.removed);
    return probe;
  });
  return {{"probes", std::move(probes)},
          {"budget",
           {{"limit_percent", findings.limit_percent},
            {"used_percent", static_cast<double>(findings.used_millis) / 1000}}},
          {"notes", json_texts(findings.notes)}};
}

// The methods that had hits or whose calls ended, with the figures of the interval alone.
ProbeFindings ProbeIntervals::next(const ProbeFindings& findings) {
  const auto key = [](const ProbeFindings::Method& method) {
    return std::tuple(method.class_name, method.method, method.signature);
  };
  std::map<std::tuple<std::string, std::string, std::string>, const ProbeFindings::Method*> before;
  for (const ProbeFindings::Method& method : before_.methods) before[key(method)] = &method;
  ProbeFindings interval;
  for (const ProbeFindings::Method& method : findings.methods) {
    ProbeFindings::Method& part = interval.methods.emplace_back(method);
    part.records.clear();
    if (const auto at = before.find(key(method)); at != before.end()) {
      const ProbeFindings::Method& then = *at->second;
      part.hits -= std::min(part.hits, then.hits);
      part.ns -= std::min(part.ns, then.ns);
      for (std::size_t i = 0; i < std::min(part.times.size(), then.times.size()); ++i) {
        part.times[i] -= std::min(part.times[i], then.times[i]);
      }
    }
    if (part.hits == 0 && timed(part) == 0) interval.methods.pop_back();
  }
  before_ = findings;
  sort_methods(request_, interval);
  return interval;
}

std::string ProbeIntervals::text(const ProbeFindings& findings, double at, std::size_t width) {
  const ProbeFindings interval = next(findings);
  const double seconds = std::max(at - std::exchange(before_at_, at), 1e-3);
  const bool with_times = (request_.what & kProbeTime) != 0;
  const auto line = [&](std::string_view s, std::string_view hits, std::string_view per_second,
                        std::string_view mean, std::string_view method) {
    std::string text = fmt::format("{:>8}  {:>11}  {:>11}  ", s, hits, per_second);
    if (with_times) text += fmt::format("{:>8}  ", mean);
    const std::size_t room = std::max(width - std::min(width, text.size()), kLeastMethod);
    return text + shortened_type(printable(method), room) + "\n";
  };
  std::string text;
  if (!interval.methods.empty() && !std::exchange(titled_, true)) {
    text = line("S", "HITS", "HITS/S", "MEAN", "METHOD");
  }
  for (const ProbeFindings::Method& method : interval.methods) {
    const double rate = static_cast<double>(method.hits) / seconds;
    const std::string per_second =
        rate < 10 ? fmt::format("{:.1f}", rate) : grouped(static_cast<std::uint64_t>(rate + 0.5));
    text += line(fmt::format("{:.1f}", at), grouped(method.hits), per_second, mean_text(method),
                 shown_name(findings, method));
  }
  return text;
}

Json ProbeIntervals::json(const ProbeFindings& findings, double at) {
  const ProbeFindings interval = next(findings);
  Json probes = json_list(interval.methods, [](const ProbeFindings::Method& method) {
    return Json{{"class", json_text(method.class_name)},
                {"method", json_text(method.method)},
                {"signature", json_text(method.signature)},
                {"hits", method.hits},
                {"ns", method.ns}};
  });
  return {{"s", std::round(at * 1000) / 1000}, {"probes", std::move(probes)}};
}

}  // namespace ddm
