#include "probe_text.h"

#include <algorithm>
#include <map>

#include "chunk_json.h"
#include "report/report_words.h"

namespace ddm {
namespace {

constexpr std::size_t kRecordsShown = 20;  // shown to people
constexpr std::size_t kRecordFrames = 8;
constexpr std::size_t kBar = 30;
constexpr std::string_view kBudget = "budget";  // the agent's reason

std::string ns_text(double ns) {
  if (ns < 10'000) return fmt::format("{:.0f} ns", ns);
  if (ns < 10'000'000) return fmt::format("{:.1f} us", ns / 1e3);
  if (ns < 10'000'000'000) return fmt::format("{:.1f} ms", ns / 1e6);
  return fmt::format("{:.1f} s", ns / 1e9);
}

std::uint64_t timed(const ProbeFindings::Method& method) {
  std::uint64_t calls = 0;
  for (const std::uint64_t count : method.times) calls += count;
  return calls;
}

std::string title_of(const ProbeFindings::Method& method) {
  return printable_format("{}.{}{}", method.class_name, method.method, method.signature);
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

// On one line, and as Java writes it.
std::string in_line(const std::string& value) {
  std::string text;
  for (const char c : value) {
    constexpr std::string_view kEscaped = "\n\r\t", kWritten = "nrt";
    const std::size_t at = kEscaped.find(c);
    text += at == kEscaped.npos ? std::string(1, c) : std::string("\\") + kWritten[at];
  }
  return printable(text);
}

std::string record_text(const ProbeFindings::Method& method, const ProbeFindings::Record& record) {
  std::string text = printable_format("{}: {}", record.thread, method.method);
  if ((record.what & kProbeArguments) != 0) {
    std::vector<std::string> arguments;
    for (const std::string& argument : record.arguments) arguments.push_back(in_line(argument));
    text += "(" + listed(arguments, arguments.size()) + ")";
  }
  if ((record.what & kProbeReturn) != 0) text += " = " + in_line(record.returned);
  if ((record.what & kProbeThrows) != 0) text += " throws " + in_line(record.thrown);
  if (record.ns > 0) text += ", " + ns_text(static_cast<double>(record.ns));
  text += "\n";
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
  if ((record.what & kProbeArguments) != 0) json["args"] = json_texts(record.arguments);
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

std::string probe_text(const ProbeRequest& request, const ProbeFindings& findings,
                       std::size_t width) {
  const bool with_times = (request.what & kProbeTime) != 0;
  TextTable table(with_times ? std::vector<std::string>{">HITS", ">TOTAL", ">MEAN", ".METHOD"}
                             : std::vector<std::string>{">HITS", ".METHOD"});
  std::map<std::string, int> named;  // to distinguish overloads
  for (const ProbeFindings::Method& method : findings.methods) {
    ++named[method.class_name + "." + method.method];
  }
  for (const ProbeFindings::Method& method : findings.methods) {
    std::vector<std::string> cells{grouped(method.hits)};
    if (with_times) {
      const std::uint64_t calls = timed(method);
      const auto ns = static_cast<double>(method.ns);
      cells.push_back(ns_text(ns));
      cells.push_back(calls > 0 ? ns_text(ns / static_cast<double>(calls)) : "-");
    }
    const std::string name = method.class_name + "." + method.method;
    cells.push_back(named[name] > 1 ? title_of(method) : name);
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
      text += record_text(method, method.records[i]);
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

}  // namespace ddm
