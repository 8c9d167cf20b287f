// ddm probe: exact counts, times and values of chosen methods of a running program, for a while.
#include <charconv>
#include <chrono>

#include "command.h"
#include "ddm/probes.h"
#include "ddm_client.h"
#include "interrupt.h"
#include "output.h"
#include "patch/probes/probe_plan.h"
#include "probe_text.h"
#include "target.h"

namespace ddm {
namespace {

using Clock = std::chrono::steady_clock;

struct ProbeOptions {
  std::string target;
  ProbeRequest request{.records = 100};
  bool count = false, time = false, args = false, returned = false, throws = false, stack = false;
  std::string duration;
  bool json = false;
};

// "10s", "500ms", "2m", "10": seconds.
std::optional<double> seconds_of(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !(number > 0)) return {};
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  if (unit == "ms") return number / 1000;
  if (unit == "m") return number * 60;
  if (unit == "h") return number * 3600;
  if (unit == "s" || unit.empty()) return number;
  return {};
}

// On stderr: whoever waits for them to be in reads it there.
void tell_start(const ProbeFindings& findings) {
  std::size_t in = 0;
  for (const ProbeFindings::Method& method : findings.methods) in += method.removed.empty();
  fmt::print(stderr, "ddm: probes are in {} {}; Ctrl-C takes them out\n", in,
             in == 1 ? "method" : "methods");
  for (const std::string& note : findings.notes) fmt::print(stderr, "ddm: {}\n", note);
}

// Until the time is over, Ctrl-C, or the end of the program, which may send its last findings by
// itself. "" or what went wrong.
std::string wait_for_end(DdmClient& client, const std::optional<double>& seconds,
                         std::optional<ProbeFindings>& last) {
  const Clock::time_point begin = Clock::now();
  while (!interrupted()) {
    double left = 0.1;
    if (seconds) {
      left = *seconds - std::chrono::duration<double>(Clock::now() - begin).count();
      if (left <= 0) break;
    }
    const auto step = std::chrono::milliseconds(static_cast<int>(std::min(left, 0.1) * 1000) + 1);
    const auto gone = client.listen(step);
    for (const Chunk& event : client.take_events()) {
      if (event.type == kEndProbes) last = ProbeFindings::decode(event.data);
    }
    if (last) return "";
    if (gone) return gone->message;
  }
  return "";
}

int probe(ProbeOptions options) {
  ProbeRequest& request = options.request;
  request.what = static_cast<std::uint8_t>(
      (options.time ? kProbeTime : 0) | (options.args ? kProbeArguments : 0) |
      (options.returned ? kProbeReturn : 0) | (options.throws ? kProbeThrows : 0) |
      (options.stack ? kProbeStack : 0));
  std::optional<double> seconds;
  if (!options.duration.empty()) {
    seconds = seconds_of(options.duration);
    if (!seconds) return misused("--for " + options.duration + ": right is 10s, 500ms, 2m or 1h");
  }
  if (const auto wish = read_probe_wish(request); !wish) return misused(wish.message());
  const auto address = find_target(options.target);
  if (!address) return refuse(address.message());
  auto client = DdmClient::connect(*address);
  if (!client) return refuse(client.message());
  catch_interrupts();
  const auto started = client->request(to_chunk(request), DdmClient::kLongWork);
  if (!started) return refuse(started.message());
  const auto begun =
      started->type == ProbeRequest::kType ? ProbeFindings::decode(started->data) : std::nullopt;
  if (!begun) return refuse("the target has no probes (an agent of an older version?)");
  tell_start(*begun);
  std::optional<ProbeFindings> findings;
  if (std::string gone = wait_for_end(*client, seconds, findings); !gone.empty()) {
    return refuse(gone);
  }
  if (findings) {
    fmt::print(stderr, "ddm: the program has ended\n");
  } else {
    const auto ended = client->request({kEndProbes, {}}, DdmClient::kLongWork);
    if (!ended) return refuse(ended.message());
    if (ended->type == kEndProbes) findings = ProbeFindings::decode(ended->data);
    if (!findings) return refuse(DdmClient::unexpected(*ended).message);
  }
  if (options.json) {
    print_json(probe_json(request, *findings));
  } else {
    print(probe_text(request, *findings, output_width()));
  }
  return kExitOk;
}

}  // namespace

void add_probe(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("probe", "Count, time and show hits of methods for a while");
  auto options = std::make_shared<ProbeOptions>();
  command->add_option("PID", options->target, kTargetHelp)->required();
  command
      ->add_option("METHOD", options->request.methods,
                   "Which, such as shop.Cart.total, 'shop.*' or '*.Cart.*'; several with commas")
      ->required();
  command->add_flag("--count", options->count, "How often (always told)");
  command->add_flag("--time", options->time, "How long calls take");
  command->add_flag("--args", options->args, "What is passed in (with --field: the value)");
  command->add_flag("--return", options->returned, "What is returned");
  command->add_flag("--throws", options->throws, "Exceptions that leave the method");
  command->add_flag("--stack", options->stack, "The stack at the hit");
  command->add_option("--when", options->request.condition,
                      "Count only these hits: 'arg1 > 100 && this.open == true', 'arg2 == \"x\"'");
  command->add_option("--line", options->request.line, "At this line of the method instead")
      ->check(CLI::Range(1, 65535));
  command->add_option("--field", options->request.field,
                      "Where the method reads or writes this field instead: Cart.sum");
  command->add_option("--for", options->duration, "How long: 10s, 500ms, 2m; else until Ctrl-C");
  command->add_option("--limit", options->request.records, "So many hits are shown, the first ones")
      ->check(CLI::Range(std::uint32_t{1}, ProbeRequest::kMostRecords))
      ->capture_default_str();
  command
      ->add_option("--budget", options->request.budget,
                   "Percent of CPU that probes may take; else as the agent's option budget= says")
      ->check(CLI::Range(1, 10000));
  command->add_flag("--json", options->json,
                    "{probes: [{class, method, signature, hits, total_ns, records, removed}], "
                    "budget: {limit_percent, used_percent}, notes}");
  command->callback([options, &chosen] { chosen = [options] { return probe(*options); }; });
}

}  // namespace ddm
