#include "time/profiling_handlers.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "core/file_descriptor.h"
#include "core/log.h"
#include "core/new_file.h"

namespace ddm {
namespace {

constexpr const char* kTracesElsewhere = "another server traces; only it can stop that";

constexpr std::uint32_t kShortestMicros = 100, kLongestMicros = 10'000'000;

bool refuse_file(const std::string& at_end, Reply& reply) {
  const std::string obstacle = at_end.empty() ? "" : new_file_obstacle(at_end);
  if (!obstacle.empty()) reply.fail(FailCode::kRefused, obstacle);
  return !obstacle.empty();
}

// The same for MPRS, whose servers use one name again: that file is replaced.
bool refuse_place(const std::string& path, Reply& reply) {
  struct stat there {};
  std::string why;
  if (access(directory_of(path).c_str(), W_OK | X_OK) != 0) {
    why = errno_text(errno);
  } else if (stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    why = "it is not a regular file";
  }
  if (!why.empty()) reply.fail(FailCode::kRefused, "cannot write " + path + ": " + why);
  return !why.empty();
}

void write_trace(const TraceFile& trace, const std::string& path) {
  if (const auto error = trace.write(path)) log_error("trace: {}", error->message);
}

}  // namespace

void ProfilingHandlers::add_switch(Dispatcher& dispatcher, ChunkType type, Handler handler) {
  dispatcher.add(type, Lane::kInline, [this, handler](const Request& request, Reply reply) {
    switching_.run(context_.service, request, std::move(reply),
                   [this, handler](const Request& switched, Reply& answer) {
                     (this->*handler)(switched, answer);
                   });
  });
}

void ProfilingHandlers::add_to(Dispatcher& dispatcher) {
  dispatcher.offer(
      {"method-trace-profiling", "method-trace-profiling-streaming", "method-sample-profiling"});
  dispatcher.add(ProfilingState::kType, Lane::kInline, this, &ProfilingHandlers::send_state);
  add_switch(dispatcher, TraceRequest::kType, &ProfilingHandlers::start);
  add_switch(dispatcher, kStopTracing, &ProfilingHandlers::stop);
  add_switch(dispatcher, TraceToFileRequest::kType, &ProfilingHandlers::start_to_file);
  add_switch(dispatcher, kStopTracingToFile, &ProfilingHandlers::stop_to_file);
  add_switch(dispatcher, SampleRequest::kType, &ProfilingHandlers::start_sampling);
  add_switch(dispatcher, kStopSampling, &ProfilingHandlers::stop_sampling);
}

void ProfilingHandlers::send_state(const Request& request, Reply reply) {
  switching_.after(context_.service, request, std::move(reply), [this](Reply& answer) {
    answer.send(ProfilingState{tracing_.tracing()   ? ProfilingState::Mode::kTracing
                               : sampler_.tracing() ? ProfilingState::Mode::kSampling
                                                    : ProfilingState::Mode::kOff});
  });
}

void ProfilingHandlers::start(const Request& request, Reply& reply) {
  const auto wanted = decode<TraceRequest>(request.data);
  if (!wanted) {
    return reply.fail_bad_data(
        "u4 buffer bytes, u4 flags[, str methods[, u4 us, str below[, str at_end]]]");
  }
  start_trace(request, *wanted, "", reply);
}

void ProfilingHandlers::start_to_file(const Request& request, Reply& reply) {
  const auto wanted = decode<TraceToFileRequest>(request.data);
  if (!wanted || wanted->path.empty()) {
    return reply.fail_bad_data("u4 buffer bytes, u4 flags, str path");
  }
  if (refuse_place(wanted->path, reply)) return;
  start_trace(request, {wanted->buffer_bytes, wanted->flags}, wanted->path, reply);
}

void ProfilingHandlers::start_trace(const Request& request, TraceRequest wanted,
                                    const std::string& file, Reply& reply) {
  // Its server has gone while the request was waiting.
  if (!request.session->is_open() || refuse_file(wanted.at_end, reply)) return;
  if (wanted.methods.empty()) {
    const std::lock_guard lock(mutex_);
    wanted.methods = methods_;
  }
  const std::string error = tracing_.start_trace(context_.jni(), wanted);
  if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  started(request, owner_, {request.session, file, file.empty() ? wanted.at_end : file}, reply);
}

void ProfilingHandlers::started(const Request& request, Owner& owner, Owner fresh, Reply& reply) {
  const bool gone = !request.session->is_open() || !reply.wanted();
  if (gone) fresh.at_end.clear();  // nobody would read it, if the program is ending already
  {
    const std::lock_guard lock(mutex_);
    owner = std::move(fresh);
  }
  if (gone || !request.session->is_open()) return disconnected(request.session);
  reply.send_empty();
}

void ProfilingHandlers::stop(const Request& request, Reply& reply) {
  if (is_of_another(request.session, owner_))
    return reply.fail(FailCode::kRefused, kTracesElsewhere);
  auto trace = tracing_.stop_trace(context_.jni());
  disown(owner_);
  if (!trace) return reply.fail(FailCode::kRefused, "no methods are being traced; MPSS starts it");
  reply.send(trace->take());
}

void ProfilingHandlers::stop_to_file(const Request& request, Reply& reply) {
  std::optional<Error> error = Error{"no methods are being traced to a file"};
  if (is_of_another(request.session, owner_)) {
    error = Error{kTracesElsewhere};
  } else if (!held(owner_).file.empty()) {
    const auto trace = tracing_.stop_trace(context_.jni());
    const std::string file = disown(owner_).file;
    if (trace) error = trace->write(file);
  }
  if (error) log_error("method trace: {}", error->message);
  reply.send(TraceToFileReply{!error});
}

void ProfilingHandlers::start_sampling(const Request& request, Reply& reply) {
  const auto wanted = decode<SampleRequest>(request.data);
  if (!wanted)
    return reply.fail_bad_data("u4 buffer bytes, u4 flags, u4 interval in us[, str at_end]");
  if (wanted->interval_micros < kShortestMicros || wanted->interval_micros > kLongestMicros) {
    return reply.fail(FailCode::kRefused, "the interval of " +
                                              std::to_string(wanted->interval_micros) +
                                              " us is not from 100 us to 10 s");
  }
  if (!request.session->is_open() || refuse_file(wanted->at_end, reply)) return;
  JNIEnv* jni = context_.jni();
  auto trace =
      std::make_shared<SampleTrace>(stacks_.names(), std::int64_t{wanted->interval_micros} * 1000,
                                    wanted->buffer_bytes, has_dual_clock(wanted->flags));
  const std::string error = sampler_.start_trace(jni, stacks_.naming(jni), std::move(trace));
  if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  started(request, sampling_owner_, {request.session, "", wanted->at_end}, reply);
}

void ProfilingHandlers::stop_sampling(const Request& request, Reply& reply) {
  if (is_of_another(request.session, sampling_owner_)) {
    return reply.fail(FailCode::kRefused, "another server samples; only it can stop that");
  }
  auto trace = sampler_.stop_trace();
  disown(sampling_owner_);
  if (!trace) return reply.fail(FailCode::kRefused, trace.message());
  reply.send(trace->take());
}

ProfilingHandlers::Owner ProfilingHandlers::disown(Owner& owner) {
  const std::lock_guard lock(mutex_);
  return std::exchange(owner, {});
}

// Whether the session owned it; it is nobody's then.
bool ProfilingHandlers::take_from(const SessionPtr& session, Owner& owner) {
  const std::lock_guard lock(mutex_);
  if (closing_ || owner.session != session) return false;
  owner = {};
  return true;
}

void ProfilingHandlers::begin_close() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  // Nobody would read the file of a server that has gone just before.
  for (Owner* owner : {&owner_, &sampling_owner_}) {
    if (owner->session != nullptr && !owner->session->is_open()) *owner = {};
  }
}

void ProfilingHandlers::write_at_end() {
  const std::string calls = disown(owner_).at_end;
  const std::string samples = disown(sampling_owner_).at_end;
  if (!calls.empty()) {
    if (const auto trace = tracing_.take_trace_at_end()) write_trace(*trace, calls);
  }
  if (!samples.empty()) {
    if (const auto trace = sampler_.stop_trace()) write_trace(*trace, samples);
  }
}

ProfilingHandlers::Owner ProfilingHandlers::held(const Owner& owner) {
  const std::lock_guard lock(mutex_);
  return owner;
}

bool ProfilingHandlers::is_of_another(const SessionPtr& session, const Owner& owner) {
  const SessionPtr owning = held(owner).session;
  return owning != nullptr && owning != session;
}

// The trace may just be being stopped by a request of its own: another session's, begun before the
// task's turn comes, goes on.
void ProfilingHandlers::disconnected(const SessionPtr& session) {
  if (take_from(session, sampling_owner_)) {
    context_.service.slow().post([this](JNIEnv*) {
      if (held(sampling_owner_).session != nullptr) return;
      (void)sampler_.stop_trace();
      log_info("sampling: its server has gone, and nobody reads it");
    });
  }
  if (!take_from(session, owner_)) return;
  context_.service.slow().post([this](JNIEnv* jni) {
    if (held(owner_).session != nullptr) return;
    tracing_.stop_trace(jni);
    log_info("method trace: its server has gone, and nobody reads it");
  });
}

}  // namespace ddm
