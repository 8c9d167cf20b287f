#include "switched_options.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "json_values.h"
#include "report_fetch.h"
#include "wire/chunks/lent_options.h"
#include "wire/chunks/switch_request.h"

namespace ddm {
namespace {

void append_option(std::string& options, const std::string& option) {
  options += (options.empty() ? "" : ",") + option;
}

struct ActiveOptions {
  bool cpu = false, wall = false, locks = false;
};

// For how long the sampler has been on; -1: it never was.
std::int64_t sampled_ns(const Json& summary) {
  const auto sampler = summary.find("sampler");
  return sampler != summary.end() ? number_of(*sampler, "on_ns") : -1;
}

// A sampler that is off still has the figures of its last run; only while it is on, on_ns grows.
ActiveOptions active_options(DdmClient& client) {
  constexpr std::chrono::milliseconds kSamplerCheck{60};
  ActiveOptions now;
  const auto lines = fetch_time(client, {});
  if (!lines || lines->empty()) return now;
  now.locks = text_of(lines->front(), "monitor") == "on";
  const std::int64_t before = sampled_ns(lines->front());
  if (before < 0) return now;
  std::this_thread::sleep_for(kSamplerCheck);
  const auto later = fetch_time(client, {});
  if (!later || later->empty() || sampled_ns(later->front()) <= before) return now;
  now.wall = text_of(later->front()["sampler"], "clock") == "wall";
  now.cpu = !now.wall;
  return now;
}

std::string parts_on(const WantedOptions& wanted, const ActiveOptions& now) {
  const bool samples = (wanted.cpu || wanted.wall) && (now.cpu || now.wall);
  const bool locks = wanted.locks && now.locks;
  return fmt::format("{}{}{}", samples ? "samples" : "", samples && locks ? " and " : "",
                     locks ? "waits for locks" : "");
}

}  // namespace

bool is_tracking(DdmClient& client) {
  const auto state = client.get<TrackingState>({TrackingState::kType, {}});
  return state && state->on;
}

std::optional<Error> lease_tracking(DdmClient& client, bool on) {
  // Should this command be killed, the agent sees its connection end and switches tracking off.
  const auto done =
      client.request(to_chunk(TrackingRequest{on, /*while_connected=*/true}), DdmClient::kLongWork);
  if (!done) return done.error();
  return {};
}

Result<SwitchedOptions> SwitchedOptions::on(DdmClient& client, const WantedOptions& wanted) {
  SwitchedOptions switched;
  if (!wanted.any()) return switched;
  const auto summary = fetch_summary(client);
  if (!summary) return summary.error();
  if (!client.offers(kLentOptionsFeature)) {
    return Error{"the target's agent takes no options for a while; an older one does not"};
  }
  const ActiveOptions before =
      wanted.cpu || wanted.wall || wanted.locks ? active_options(client) : ActiveOptions{};
  if ((wanted.cpu && before.wall) || (wanted.wall && before.cpu)) {
    return Error{fmt::format("the target samples {} just now, and one at a time goes",
                             before.wall ? "all threads (cpu=wall)" : "its CPU (cpu=samples)")};
  }
  switched.was_live_ = summary->contains("gc");
  switched.on_before_ = parts_on(wanted, before);
  LentOptionsRequest first, live;
  // An option that is on may be on for another command only: it then stays on until both have
  // ended.
  const auto add = [](LentOptionsRequest& to, bool is_wanted, bool is_on, const char* option,
                      const char* undone) {
    if (!is_wanted) return;
    append_option(to.options, option);
    if (!is_on) append_option(to.undoing, undone);
  };
  add(first, wanted.cpu, before.cpu, "cpu=+samples", "cpu=-samples");
  add(first, wanted.wall, before.wall, "cpu=+wall", "cpu=-samples");
  add(first, wanted.locks, before.locks, "monitor=y", "monitor=n");
  if (wanted.interval > 0) {
    append_option(first.options, fmt::format("engine=vm,interval={}", wanted.interval));
    append_option(first.undoing, "engine=,interval=");  // to the program's own, which may be unused
  }
  if (!first.options.empty()) {
    const auto done = client.request(to_chunk(first), DdmClient::kLongWork);
    if (!done) return done.error();
    switched.client_ = &client;
  }
  if (!wanted.live) return switched;
  // live=y alone would switch tracking on for good; this way tracking ends with the connection.
  if (auto error = lease_tracking(client, true)) return std::move(*error);
  // Only while tracking is on does the summary tell whether the program itself follows objects.
  const auto tracked = fetch_summary(client);
  if (!tracked) return tracked.error();
  if (number_of(*tracked, "live_one_in") > 1) return switched;  // its live=1/N stays as it is
  add(live, true, tracked->contains("gc"), "live=y", "live=n");
  const auto done = client.request(to_chunk(live), DdmClient::kLongWork);
  if (!done) return done.error();
  switched.client_ = &client;
  return switched;
}

SwitchedOptions::SwitchedOptions(SwitchedOptions&& other) noexcept
    : client_(std::exchange(other.client_, nullptr)),
      was_live_(other.was_live_),
      on_before_(std::move(other.on_before_)) {}

// If the program has ended, the request fails, and nothing has to be undone.
SwitchedOptions::~SwitchedOptions() {
  if (client_ != nullptr) {
    static_cast<void>(client_->request(to_chunk(LentOptionsRequest{}), DdmClient::kLongWork));
  }
}

}  // namespace ddm
