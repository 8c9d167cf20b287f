#include "serve/pprof_handlers.h"

#include <fmt/format.h>

#include <chrono>

#include "containers/published.h"
#include "core/whole_text.h"
#include "option_values.h"
#include "report_fetch.h"
#include "serve/cpu_samples.h"
#include "serve/pprof_profile.h"
#include "switched_options.h"
#include "target.h"
#include "wire/chunks/hello.h"
#include "wire/chunks/report_chunk.h"
#include "wire/chunks/switch_request.h"

namespace ddm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kStatusBadRequest = 400, kStatusNotFound = 404, kStatusConflict = 409,
              kStatusBadGateway = 502;
constexpr std::string_view kProfileFormat = "pb.gz";
constexpr double kMaxProfileSeconds = 600;
constexpr std::size_t kMaxUnzipped = std::size_t{1} << 30;

HttpResponse profile_response(std::string zipped, std::string_view name) {
  return {
      .type = "application/octet-stream",
      .body = std::move(zipped),
      .headers = {{"Content-Disposition", fmt::format("attachment; filename=\"{}.pb.gz\"", name)}}};
}

// None: not given. The error: not a time.
Result<std::optional<double>> asked_seconds(const HttpRequest& request) {
  const std::string text = request.parameter("seconds");
  if (text.empty()) return std::optional<double>();
  const auto seconds = seconds_of(text);
  if (seconds && *seconds > 0 && *seconds <= kMaxProfileSeconds) return seconds;
  return Error{fmt::format("seconds= is a time from above 0 to {} s", kMaxProfileSeconds)};
}

// What one request does with one program.
class ProgramQuery {
 public:
  // `profiles`: the program must offer them.
  static Result<ProgramQuery> open(const HttpRequest& request,
                                   const HttpServer::Cancelled& cancelled, HttpResponse& refused,
                                   bool profiles = true) {
    const auto fail = [&refused](int status, const Error& error) {
      refused = http_error(status, error.message);
      return error;
    };
    const auto pid = asked_pid(request);
    if (!pid) return fail(kStatusNotFound, pid.error());
    auto client = connect_to_target(std::to_string(*pid));
    if (!client) return fail(kStatusBadGateway, client.error());
    client->cancel_when(cancelled);
    if (profiles && !client->offers(kReportFeature)) {
      return fail(kStatusConflict, {"the program runs without this agent: it has no profiles"});
    }
    return ProgramQuery(*pid, std::move(*client));
  }

  pid_t pid() const { return pid_; }
  DdmClient& client() { return client_; }

  // The program's profile, unzipped; the error is for 502.
  Result<std::string> profile() {
    const auto packed = fetch_text(client_, kProfileFormat);
    if (!packed) return packed;
    auto profile = unzipped(*packed, kMaxUnzipped);
    if (!profile) return Error{"the target's profile: " + profile.message()};
    return profile;
  }

  // False: the request is cancelled, or the connection has ended.
  bool wait(double seconds, const HttpServer::Cancelled& cancelled) {
    return !client_.idle(seconds, cancelled) && !cancelled();
  }

 private:
  ProgramQuery(pid_t pid, DdmClient client) : pid_(pid), client_(std::move(client)) {}

  pid_t pid_;
  DdmClient client_;
};

std::string tracking_off(pid_t pid) {
  return fmt::format(
      "tracking is off in process {}, and reading a profile switches nothing on: `ddm track {} "
      "on` does, or &seconds=N&track=y for these seconds alone",
      pid, pid);
}

HttpResponse ended_early(pid_t pid) {
  return http_error(kStatusBadGateway, fmt::format("process {} ended meanwhile", pid));
}

constexpr const char* kHeapType = "inuse_space";  // is shown first

// The allocations between two profiles. `heap`: with the change of what is alive.
HttpResponse profile_of_span(ProgramQuery& query, double seconds, bool track, bool heap,
                             const HttpServer::Cancelled& cancelled) {
  const auto state = query.client().get<TrackingState>({TrackingState::kType, {}});
  if (!state) return http_error(kStatusBadGateway, state.message());
  if (!state->on && !track) return http_error(kStatusConflict, tracking_off(query.pid()));
  // If it is on for another command only, it stays on until this profile is complete.
  const auto failed = lease_tracking(query.client(), true);
  if (failed) return http_error(kStatusConflict, failed->message);
  const auto period_before = fetch_summary(query.client());
  const auto before = query.profile();
  if (!period_before || !before) return ended_early(query.pid());
  const auto begin = Clock::now();
  if (!query.wait(seconds, cancelled)) return ended_early(query.pid());
  const auto after = query.profile();
  const std::chrono::nanoseconds passed = Clock::now() - begin;
  const auto period_after = fetch_summary(query.client());
  if (!after || !period_after) return ended_early(query.pid());
  if (number_of(*period_before, "period") != number_of(*period_after, "period")) {
    return http_error(kStatusConflict,
                      "tracking was switched off and on meanwhile: figures began anew");
  }
  auto more = pprof_difference(*before, *after, passed.count(), heap ? "" : "alloc_");
  if (more && heap) more = with_default_type(std::move(*more), kHeapType);
  if (!more) return http_error(kStatusConflict, more.message());
  return profile_response(zipped(*more), fmt::format("allocs-{}", query.pid()));
}

}  // namespace

Result<pid_t> asked_pid(const HttpRequest& request) {
  const std::string asked = request.parameter("pid");
  // An address is refused: this server only connects to programs that it lists.
  if (asked.find(':') != std::string::npos) {
    return Error{"pid= is a pid or a part of a program's name"};
  }
  const auto named = resolve_target(asked);
  if (!named) return named.error();
  const pid_t pid = number_in<pid_t>(*named).value_or(0);
  for (const Target& target : all_targets()) {
    if (target.pid == pid) return pid;
  }
  return Error{
      fmt::format("process {} has no agent that listens, or is none of this user's", asked)};
}

HttpResponse allocs_profile(const HttpRequest& request, bool heap,
                            const HttpServer::Cancelled& cancelled) {
  const auto seconds = asked_seconds(request);
  if (!seconds) return http_error(kStatusBadRequest, seconds.message());
  HttpResponse refused;
  auto query = ProgramQuery::open(request, cancelled, refused);
  if (!query) return refused;
  const pid_t pid = query->pid();
  const auto summary = fetch_summary(query->client());
  if (!summary) return http_error(kStatusBadGateway, summary.message());
  if (heap && !summary->contains("live_bytes")) {
    return http_error(kStatusConflict,
                      fmt::format("nobody follows what is alive in process {}: `ddm attach {} "
                                  "live=y` does, with tracking on",
                                  pid, pid));
  }
  if (*seconds) {
    return profile_of_span(*query, **seconds, request.parameter("track") == "y", heap, cancelled);
  }
  const bool ended = !heap && !is_tracking(query->client());
  if (ended || number_of(*summary, "period") == 0) {
    return http_error(kStatusConflict, tracking_off(pid));
  }
  if (!heap) {
    auto packed = fetch_text(query->client(), kProfileFormat);
    if (!packed) return http_error(kStatusBadGateway, packed.message());
    return profile_response(std::move(*packed), fmt::format("allocs-{}", pid));
  }
  auto profile = query->profile();
  if (profile) profile = with_default_type(std::move(*profile), kHeapType);
  if (!profile) return http_error(kStatusBadGateway, profile.message());
  return profile_response(zipped(*profile), fmt::format("heap-{}", pid));
}

HttpResponse cpu_profile(const HttpRequest& request, const HttpServer::Cancelled& cancelled) {
  constexpr double kDefaultSeconds = 30;
  const auto seconds = asked_seconds(request);
  if (!seconds) return http_error(kStatusBadRequest, seconds.message());
  HttpResponse refused;
  auto query = ProgramQuery::open(request, cancelled, refused);
  if (!query) return refused;
  const pid_t pid = query->pid();
  DdmClient& client = query->client();
  const auto hello = client.get<HelloReply>(to_chunk(HelloRequest{}));
  if (!hello) return http_error(kStatusBadGateway, hello.message());
  // Of several requests at a time the last one that ends switches the sampler off (OPTS).
  const auto switched = SwitchedOptions::on(client, {.cpu = true});
  if (!switched) return http_error(kStatusConflict, switched.message());
  const auto before = fetch_time(client, {"sample"});
  const auto begin = Clock::now();
  if (!before || !query->wait(seconds->value_or(kDefaultSeconds), cancelled)) {
    return ended_early(pid);
  }
  const auto after = fetch_time(client, {"sample"});
  const std::chrono::nanoseconds passed = Clock::now() - begin;
  if (!after) return ended_early(pid);
  auto profile = cpu_samples_profile(*before, *after, *hello, passed);
  if (!profile) return http_error(kStatusBadGateway, profile.message());
  return profile_response(std::move(*profile), fmt::format("cpu-{}", pid));
}

HttpResponse report_page(const HttpRequest& request, const HttpServer::Cancelled& cancelled) {
  HttpResponse refused;
  auto query = ProgramQuery::open(request, cancelled, refused, /*profiles=*/false);
  if (!query) return refused;
  auto page = fetch_text(query->client(), "html");
  if (!page) return http_error(kStatusBadGateway, page.message());
  // The page escapes the names of a program's classes; should a name get through as script, the
  // sandbox keeps it away from this site.
  return {.type = "text/html; charset=utf-8",
          .body = std::move(*page),
          .headers = {{"Content-Security-Policy",
                       "sandbox allow-scripts allow-downloads; default-src 'none'; script-src "
                       "'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"}}};
}

}  // namespace ddm
