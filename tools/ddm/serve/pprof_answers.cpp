#include "serve/pprof_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>

#include "containers/published.h"
#include "core/whole_text.h"
#include "ddm_client.h"
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

constexpr int kNoTime = 400, kNoSuchThing = 404, kNotInThisState = 409, kTargetFailed = 502;
constexpr double kMostProfileSeconds = 600;
constexpr std::size_t kMostUnzipped = std::size_t{1} << 30;

HttpAnswer profile_answer(std::string zipped, std::string_view name) {
  HttpAnswer answer;
  answer.type = "application/octet-stream";
  answer.body = std::move(zipped);
  answer.headers = {
      {"Content-Disposition", fmt::format("attachment; filename=\"{}.pb.gz\"", name)}};
  return answer;
}

// None: not asked for. The error: that is no time.
Result<std::optional<double>> asked_seconds(const HttpRequest& request) {
  const std::string text = request.parameter("seconds");
  if (text.empty()) return std::optional<double>();
  const auto seconds = seconds_of(text);
  if (seconds && *seconds > 0 && *seconds <= kMostProfileSeconds) return seconds;
  return Error{fmt::format("seconds= is a time from above 0 to {} s", kMostProfileSeconds)};
}

// What one request does with one program.
class Question {
 public:
  static Result<Question> ask(const HttpRequest& request, const HttpServer::GivenUp& given_up,
                              HttpAnswer& refused) {
    const auto pid = asked_pid(request);
    if (!pid) {
      refused = http_refusal(kNoSuchThing, pid.message());
      return pid.error();
    }
    auto client = connect_to_target(std::to_string(*pid));
    if (!client) {
      refused = http_refusal(kTargetFailed, client.message());
      return client.error();
    }
    client->give_up_when(given_up);
    return Question(*pid, std::move(*client));
  }

  // Of a program with profiles.
  static Result<Question> ask_for_profile(const HttpRequest& request,
                                          const HttpServer::GivenUp& given_up,
                                          HttpAnswer& refused) {
    auto question = ask(request, given_up, refused);
    if (!question || question->client_.offers(kReportFeature)) return question;
    const Error none{"the program runs without this agent: it has no profiles"};
    refused = http_refusal(kNotInThisState, none.message);
    return none;
  }

  pid_t pid() const { return pid_; }
  DdmClient& client() { return client_; }

  // The program's report in this format; the error is for 502.
  Result<std::string> report(const char* format) {
    std::string text;
    const auto failed = fetch_report(client_, format, [&](std::string_view piece) {
      text += piece;
      return text.size() <= kMostUnzipped;
    });
    if (failed) return *failed;
    return text;
  }
  // The same, unzipped.
  Result<std::string> profile() {
    const auto packed = report("pb.gz");
    if (!packed) return packed;
    return unzipped(*packed, kMostUnzipped);
  }

  // False: nobody wants it any more, or the connection has ended.
  bool wait(double seconds, const HttpServer::GivenUp& given_up) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < end) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count() + 1;
      const auto step = std::chrono::milliseconds(std::min<std::int64_t>(left, 100));
      if (given_up() || client_.listen(step)) return false;
      client_.take_events();
    }
    return true;
  }

 private:
  Question(pid_t pid, DdmClient client) : pid_(pid), client_(std::move(client)) {}

  pid_t pid_;
  DdmClient client_;
};

std::string tracking_off(pid_t pid) {
  return fmt::format(
      "tracking is off in process {}, and reading a profile switches nothing on: `ddm track {} "
      "on` does, or &seconds=N&track=y for these seconds alone",
      pid, pid);
}

HttpAnswer ended_early(pid_t pid) {
  return http_refusal(kTargetFailed, fmt::format("process {} ended meanwhile", pid));
}

// What came between two looks.
HttpAnswer profile_of_span(Question& question, double seconds, bool track, const char* first_type,
                           const HttpServer::GivenUp& given_up) {
  const auto state = question.client().get<TrackingState>({TrackingState::kType, {}});
  if (!state) return http_refusal(kTargetFailed, state.message());
  if (!state->on && !track) return http_refusal(kNotInThisState, tracking_off(question.pid()));
  if (!state->on) {
    const auto on = question.client().request(
        to_chunk(TrackingRequest{true, /*while_connected=*/true}), DdmClient::kLongWork);
    if (!on) return http_refusal(kNotInThisState, on.message());
  }
  const auto period_before = fetch_summary(question.client());
  const auto before = question.profile();
  if (!period_before || !before) return ended_early(question.pid());
  const auto begin = Clock::now();
  if (!question.wait(seconds, given_up)) return ended_early(question.pid());
  const auto after = question.profile();
  const std::chrono::nanoseconds passed = Clock::now() - begin;
  const auto period_after = fetch_summary(question.client());
  if (!after || !period_after) return ended_early(question.pid());
  if (number_of(*period_before, "period") != number_of(*period_after, "period")) {
    return http_refusal(kNotInThisState,
                        "tracking was switched off and on meanwhile: figures began anew");
  }
  auto more = pprof_difference(*before, *after, passed.count());
  if (more && first_type != nullptr) more = with_default_type(std::move(*more), first_type);
  if (!more) return http_refusal(kNotInThisState, more.message());
  return profile_answer(zipped(*more), fmt::format("allocs-{}", question.pid()));
}

// The programs whose CPU is sampled for somebody: who comes second would have it switched off by who
// came first.
class SampledProgram {
 public:
  // False of `here`: it is being sampled.
  explicit SampledProgram(pid_t pid) : pid_(pid) {
    const std::lock_guard lock(mutex_);
    here_ = sampled_.insert(pid).second;
  }
  SampledProgram(const SampledProgram&) = delete;
  SampledProgram& operator=(const SampledProgram&) = delete;
  ~SampledProgram() {
    const std::lock_guard lock(mutex_);
    if (here_) sampled_.erase(pid_);
  }
  bool here() const { return here_; }

 private:
  static inline std::mutex mutex_;
  static inline std::set<pid_t> sampled_;
  pid_t pid_;
  bool here_ = false;
};

}  // namespace

Result<pid_t> asked_pid(const HttpRequest& request) {
  const std::string asked = request.parameter("pid");
  // No address: this server connects nobody to anything else than the programs that it lists.
  if (asked.find(':') != std::string::npos) {
    return Error{"pid= is a pid or a part of a program's name"};
  }
  const auto named = named_target(asked);
  if (!named) return named.error();
  const pid_t pid = number_in<pid_t>(*named).value_or(0);
  for (const Target& target : all_targets()) {
    if (target.pid == pid) return pid;
  }
  return Error{
      fmt::format("process {} has no agent that listens, or is none of this user's", asked)};
}

HttpAnswer allocs_profile(const HttpRequest& request, bool heap,
                          const HttpServer::GivenUp& given_up) {
  const auto seconds = asked_seconds(request);
  if (!seconds) return http_refusal(kNoTime, seconds.message());
  HttpAnswer refused;
  auto question = Question::ask_for_profile(request, given_up, refused);
  if (!question) return refused;
  const pid_t pid = question->pid();
  const auto summary = fetch_summary(question->client());
  if (!summary) return http_refusal(kTargetFailed, summary.message());
  if (heap && !summary->contains("live_bytes")) {
    return http_refusal(kNotInThisState,
                        fmt::format("nobody follows what is alive in process {}: `ddm attach {} "
                                    "live=y` does, with tracking on",
                                    pid, pid));
  }
  const char* const first_type = heap ? "inuse_space" : nullptr;
  if (*seconds) {
    return profile_of_span(*question, **seconds, request.parameter("track") == "y", first_type,
                           given_up);
  }
  if (number_of(*summary, "period") == 0) return http_refusal(kNotInThisState, tracking_off(pid));
  if (!heap) {
    auto packed = question->report("pb.gz");
    if (!packed) return http_refusal(kTargetFailed, packed.message());
    return profile_answer(std::move(*packed), fmt::format("allocs-{}", pid));
  }
  auto profile = question->profile();
  if (profile) profile = with_default_type(std::move(*profile), first_type);
  if (!profile) return http_refusal(kTargetFailed, profile.message());
  return profile_answer(zipped(*profile), fmt::format("heap-{}", pid));
}

HttpAnswer cpu_profile(const HttpRequest& request, const HttpServer::GivenUp& given_up) {
  constexpr double kUsualSeconds = 30;
  const auto seconds = asked_seconds(request);
  if (!seconds) return http_refusal(kNoTime, seconds.message());
  HttpAnswer refused;
  auto question = Question::ask_for_profile(request, given_up, refused);
  if (!question) return refused;
  const pid_t pid = question->pid();
  DdmClient& client = question->client();
  const auto hello = client.get<HelloReply>(to_chunk(HelloRequest{}));
  if (!hello) return http_refusal(kTargetFailed, hello.message());
  const SampledProgram sampled(pid);
  if (!sampled.here()) {
    return http_refusal(kNotInThisState,
                        fmt::format("the CPU of process {} is being sampled for another", pid));
  }
  WantedOptions wanted;
  wanted.cpu = true;
  const auto switched = SwitchedOptions::on(client, wanted);
  if (!switched) return http_refusal(kNotInThisState, switched.message());
  const auto before = fetch_time(client, {"sample"});
  const auto begin = Clock::now();
  if (!before || !question->wait(seconds->value_or(kUsualSeconds), given_up)) {
    return ended_early(pid);
  }
  const auto after = fetch_time(client, {"sample"});
  const std::chrono::nanoseconds passed = Clock::now() - begin;
  if (!after) return ended_early(pid);
  auto profile = cpu_samples_profile(*before, *after, *hello, passed);
  if (!profile) return http_refusal(kTargetFailed, profile.message());
  return profile_answer(std::move(*profile), fmt::format("cpu-{}", pid));
}

HttpAnswer report_page(const HttpRequest& request, const HttpServer::GivenUp& given_up) {
  HttpAnswer refused;
  auto question = Question::ask(request, given_up, refused);
  if (!question) return refused;
  auto page = question->report("html");
  if (!page) return http_refusal(kTargetFailed, page.message());
  HttpAnswer answer;
  answer.type = "text/html; charset=utf-8";
  answer.body = std::move(*page);
  // What a program calls its classes is text there, and if it were not: it is no part of this site, and
  // reaches nothing.
  answer.headers = {{"Content-Security-Policy",
                     "sandbox allow-scripts allow-downloads; default-src 'none'; "
                     "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"}};
  return answer;
}

}  // namespace ddm
