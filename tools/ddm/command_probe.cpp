// ddm probe: exact counts, times and values of chosen methods of a running program, for a while.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>
#include <string>

#include "command.h"
#include "interrupt.h"
#include "json_values.h"
#include "probe_text.h"
#include "probes/plans/probe_plan.h"
#include "report/report_words.h"
#include "running_methods.h"
#include "wire/chunks/probes.h"

namespace ddm {
namespace {

struct ProbeOptions {
  std::string target;
  ProbeRequest request{.records = 100};
  bool count = false, time = false, args = false, returned = false, throws = false, stack = false;
  double seconds = 0;  // 0: until Ctrl-C
  double every = 0;    // seconds of an interval; 0: none is shown
  int depth = 0;
  RunningRule running;
  bool json = false;
};

// Prints on stderr that the probes are installed, for scripts that wait for that.
void print_start(const ProbeFindings& findings, bool may_hit) {
  if (any_probe_in(findings)) {
    const auto in = std::ranges::count_if(findings.methods, &std::string::empty,
                                          &ProbeFindings::Method::removed);
    complain(fmt::format("probes are in {}; Ctrl-C takes them out", counted(in, "method")));
  } else {
    complain(fmt::format("probes are in no method{}", may_hit ? " yet; Ctrl-C ends this" : ""));
    for (const std::string& reason : reasons_text(findings)) complain(reason);
  }
  for (const std::string& note : findings.notes) complain(note);
}

// Classes that are loaded later may match: all of a pattern with *, or the one of another name.
bool matches_more(const std::string& patterns, const ProbeFindings& findings) {
  const auto names = static_cast<std::size_t>(std::ranges::count(patterns, ',')) + 1;
  std::set<std::string> found;
  for (const ProbeFindings::Method& method : findings.methods) {
    found.insert(method.class_name + "." + method.method);
  }
  return patterns.find('*') != std::string::npos || found.size() < names;
}

std::uint64_t hits_of(const ProbeFindings& findings) {
  std::uint64_t hits = 0;
  for (const ProbeFindings::Method& method : findings.methods) hits += method.hits;
  return hits;
}

// What --every prints, while the probes are installed.
class Intervals {
 public:
  Intervals(const ProbeOptions& options, const ProbeRequest& request)
      : json_(options.json), every_(options.every), lines_(request) {}

  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  // When the next interval ends; one that was missed is part of it.
  double next_end() const {
    if (every_ <= 0) return std::numeric_limits<double>::infinity();
    return every_ * (std::floor(elapsed() / every_) + 1);
  }

  // False: nobody reads them any more.
  bool show(const ProbeFindings& findings) {
    if (every_ <= 0) return true;
    print(json_ ? json_line(lines_.json(findings, elapsed())) + "\n"
                : lines_.text(findings, elapsed(), output_width()));
    output_complete();  // flushes
    return std::ferror(stdout) == 0;
  }

 private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const bool json_;
  const double every_;
  ProbeIntervals lines_;
};

// Waits for the end of the time, Ctrl-C, or the end of the program, which may send its last
// findings by itself. "" or the error.
std::string wait_for_end(DdmClient& client, double most, Intervals& intervals,
                         std::optional<ProbeFindings>& last) {
  const auto has_last = [&] {
    for (const Chunk& event : client.take_events()) {
      if (event.type == kEndProbes) last = decode<ProbeFindings>(event.data);
    }
    return last.has_value();
  };
  const double end = most > 0 ? most : std::numeric_limits<double>::infinity();
  for (;;) {
    const double until = std::min(intervals.next_end(), end);
    const auto gone =
        client.idle(until - intervals.elapsed(), [&] { return has_last() || interrupted(); });
    if (has_last()) return "";
    if (gone) return gone->message;
    if (interrupted() || until == end) return "";
    // Without records and messages. If the target refuses, the next interval includes this one; if
    // it has ended, the next wait says so.
    client.cancel_when(interrupted);
    const auto now = client.get<ProbeFindings>({kAskProbes, {0, 1}}, DdmClient::kShort, kAskProbes);
    client.cancel_when(nullptr);
    if (has_last() || (now && !intervals.show(*now))) return "";
  }
}

int probe(const ProbeOptions& options) {
  ProbeRequest request = options.request;
  if (options.depth > 0) {
    if (!options.args && !options.returned) {
      return misused("--depth is of the values of --args and --return");
    }
    request.depth = static_cast<std::uint8_t>(options.depth);
    request.what = kProbeThis;
  }
  request.what |= static_cast<std::uint8_t>(
      (options.time ? kProbeTime : 0) | (options.args ? kProbeArguments : 0) |
      (options.returned ? kProbeReturn : 0) | (options.throws ? kProbeThrows : 0) |
      (options.stack ? kProbeStack : 0));
  if (const auto wish = parse_probe(request); !wish) return misused(wish.message());
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  catch_interrupts();
  client->cancel_when(interrupted);  // the agent then removes its probes
  if (const auto end = check_running_methods(
          *client, {request.methods, "", request.line, request.field}, options.running)) {
    return *end;
  }
  const auto started = client->request(to_chunk(request), DdmClient::kLongWork);
  client->cancel_when(nullptr);
  if (!started) return refuse(started.message());
  const auto begun =
      started->type == ProbeRequest::kType ? decode<ProbeFindings>(started->data) : std::nullopt;
  if (!begun) return refuse("the target has no probes (an agent of an older version?)");
  const bool may_hit =
      any_probe_in(*begun) || begun->methods.empty() || matches_more(request.methods, *begun);
  print_start(*begun, may_hit);
  Intervals intervals(options, request);
  std::optional<ProbeFindings> findings;
  if (std::string gone = may_hit ? wait_for_end(*client, options.seconds, intervals, findings) : "";
      !gone.empty()) {
    return refuse(gone);
  }
  if (findings) {
    complain("the program has ended");
  } else {
    const auto ended =
        client->get<ProbeFindings>({kEndProbes, {}}, DdmClient::kLongWork, kEndProbes);
    if (!ended) return refuse(ended.message());
    findings = *ended;
  }
  sort_methods(request, *findings);
  intervals.show(*findings);  // the last one, until now
  if (options.json && options.every > 0) {
    print(json_line(probe_json(request, *findings)) + "\n");
  } else if (options.json) {
    print_json(probe_json(request, *findings));
  } else if (may_hit) {
    if (options.every > 0) print("\n");
    remove_told(*begun, *findings);
    print(probe_text(request, *findings, output_width()));
  }
  if (hits_of(*findings) > 0) return kExitOk;
  return may_hit ? refuse("no hit") : kExitRefused;
}

}  // namespace

void add_probe(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "probe", "Count, time and show the hits of methods", probe);
  require(add_text(command, "PID", options.target, kTargetHelp));
  require(add_text(
      command, "METHOD", options.request.methods,
      "Methods to probe, such as shop.Cart.total, 'shop.*' or '*.Cart.*'; several with commas"));
  add_flag(command, "--count", options.count, "Number of hits (always shown)");
  add_flag(command, "--time", options.time, "Duration of the calls");
  add_flag(command, "--args", options.args, "Arguments (with --field: the value)");
  add_flag(command, "--return", options.returned, "Return values");
  add_flag(command, "--throws", options.throws, "Exceptions that leave the method");
  add_flag(command, "--stack", options.stack, "Stack of each hit");
  add_text(
      command, "--when", options.request.condition,
      "Only hits that satisfy this condition: 'arg1 > 100 && this.open == true', 'arg2 == \"x\"', "
      "'arg1.items[0].price > 5 || return.size == 0', 'took > 10ms'",
      "CONDITION");
  add_number(command, "--line", options.request.line,
             "Hits of this source line instead of the method", 1, 65535);
  add_text(command, "--field", options.request.field,
           "Accesses of this field in the method instead of its calls: Cart.sum", "FIELD");
  add_duration(command, "-d,--for", options.seconds, "Duration; by default until Ctrl-C", 0.001,
               kMaxSeconds);
  add_duration(command, "--every", options.every,
               "While the probes are in, a line for each method with hits in each interval", 0.1,
               kMaxSeconds);
  add_number(command, "--depth", options.depth,
             "Show `this` too, and the fields of objects and those in them, to this depth: 1 to 5",
             0, ProbeRequest::kMostDepth);
  add_number(command, "--limit", options.request.records,
             "Number of hits to show of each method, from the first on", 1,
             ProbeRequest::kMostRecords);
  add_number(command, "--budget", options.request.budget,
             "Limit on the CPU of probes, in percent; by default the agent's option budget=", 1,
             10000, "PERCENT");
  add_running_rule(command, options.running);
  add_flag(command, "--json", options.json,
           "{probes: [{class, method, signature, hits, total_ns, times: [{below_ns, calls}], "
           "records, removed}], budget: {limit_percent, used_percent}, notes}; with --every a line "
           "each: {s, probes: [{class, method, signature, hits, ns}]} of intervals, then that");
}

}  // namespace ddm
