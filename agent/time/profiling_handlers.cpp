#include "time/profiling_handlers.h"

#include <exception>
#include <memory>
#include <utility>

#include "core/log.h"
#include "report/report.h"

namespace ddm {
namespace {

// Android's clock flags. 0 lets the agent choose.
constexpr std::uint32_t kDualClock = 0x110;

constexpr std::uint32_t kShortestMicros = 100, kLongestMicros = 10'000'000;

}  // namespace

void ProfilingHandlers::add_switch(Dispatcher& dispatcher, ChunkType type, ChunkHandler handler) {
  dispatcher.add(type, Lane::kInline, [this, handler](const Request& request, Reply reply) {
    auto switching = switching_.begin(request.session->id());
    // Shared because a std::function must be copyable.
    auto shared = std::make_shared<Reply>(std::move(reply));
    context_.service.run(Lane::kSlow, request.session, [handler, request, switching, shared] {
      if (!shared->wanted()) return;
      try {
        handler(request, std::move(*shared));
      } catch (const std::exception& failure) {
        shared->fail(FailCode::kInternal, failure.what());
      }
    });
  });
}

void ProfilingHandlers::add_to(Dispatcher& dispatcher) {
  dispatcher.offer(
      {"method-trace-profiling", "method-trace-profiling-streaming", "method-sample-profiling"});
  dispatcher.add(ProfilingState::kType, Lane::kInline, this, &ProfilingHandlers::send_state);
  add_switch(dispatcher, TraceRequest::kType, [this](const Request& request, Reply reply) {
    const auto wanted = decode<TraceRequest>(request.data);
    if (!wanted) {
      return reply.fail_bad_data("u4 buffer bytes, u4 flags[, str methods[, u4 us, str below]]");
    }
    start(request, *wanted, "", std::move(reply));
  });
  add_switch(dispatcher, kStopTracing,
             [this](const Request&, Reply reply) { stop(std::move(reply)); });
  add_switch(dispatcher, TraceToFileRequest::kType, [this](const Request& request, Reply reply) {
    const auto wanted = decode<TraceToFileRequest>(request.data);
    if (!wanted || wanted->path.empty()) {
      return reply.fail_bad_data("u4 buffer bytes, u4 flags, str path");
    }
    start(request, {wanted->buffer_bytes, wanted->flags}, wanted->path, std::move(reply));
  });
  add_switch(dispatcher, kStopTracingToFile,
             [this](const Request&, Reply reply) { stop_to_file(std::move(reply)); });
  add_switch(dispatcher, SampleRequest::kType, [this](const Request& request, Reply reply) {
    start_sampling(request, std::move(reply));
  });
  add_switch(dispatcher, kStopSampling,
             [this](const Request&, Reply reply) { stop_sampling(std::move(reply)); });
}

void ProfilingHandlers::send_state(Reply& reply) {
  reply.send(ProfilingState{tracing_.tracing()   ? ProfilingState::Mode::kTracing
                            : sampler_.tracing() ? ProfilingState::Mode::kSampling
                                                 : ProfilingState::Mode::kOff});
}

void ProfilingHandlers::send_state(const Request& request, Reply reply) {
  if (!switching_.any(request.session->id())) return send_state(reply);
  auto shared = std::make_shared<Reply>(std::move(reply));
  context_.service.run(Lane::kSlow, request.session, [this, shared] { send_state(*shared); });
}

void ProfilingHandlers::start(const Request& request, const TraceRequest& wanted,
                              const std::string& file, Reply reply) {
  MethodTracing::TraceSettings settings;
  settings.patterns = wanted.methods.empty() ? methods_ : wanted.methods;
  settings.bytes = wanted.buffer_bytes;
  settings.dual = (wanted.flags & kDualClock) == kDualClock;
  settings.least_ns = std::uint64_t{wanted.least_micros} * 1000;
  settings.below = wanted.below;
  const std::string error = tracing_.start_trace(context_.jni(), settings);
  if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  {
    const std::lock_guard lock(mutex_);
    owner_ = request.session->id();
    file_ = file;
  }
  if (!request.session->is_open() || !reply.wanted()) return disconnected(request.session);
  reply.send_empty();
}

void ProfilingHandlers::stop(Reply reply) {
  const auto trace = tracing_.stop_trace(context_.jni());
  const std::lock_guard lock(mutex_);
  owner_ = 0;
  if (!trace) return reply.fail(FailCode::kRefused, "no methods are being traced; MPSS starts it");
  const std::string file = method_trace_file(*trace);
  reply.send(Chunk{kTraceData, Bytes(file.begin(), file.end())});
}

void ProfilingHandlers::stop_to_file(Reply reply) {
  const auto trace = tracing_.stop_trace(context_.jni());
  const std::lock_guard lock(mutex_);
  owner_ = 0;
  std::string error = "no methods are being traced to a file";
  if (trace && !file_.empty()) error = write_report_file(file_, method_trace_file(*trace));
  if (!error.empty()) log_warn("method trace: {}", error);
  reply.send(TraceToFileReply{error.empty()});
}

void ProfilingHandlers::start_sampling(const Request& request, Reply reply) {
  const auto wanted = decode<SampleRequest>(request.data);
  if (!wanted) return reply.fail_bad_data("u4 buffer bytes, u4 flags, u4 interval in us");
  if (wanted->interval_micros < kShortestMicros || wanted->interval_micros > kLongestMicros) {
    return reply.fail(FailCode::kRefused, "the interval of " +
                                              std::to_string(wanted->interval_micros) +
                                              " us is not from 100 us to 10 s");
  }
  JNIEnv* jni = context_.jni();
  const bool dual = (wanted->flags & kDualClock) == kDualClock;
  auto trace = std::make_shared<SampleTrace>(
      stacks_.names(), std::int64_t{wanted->interval_micros} * 1000, wanted->buffer_bytes, dual);
  const std::string error = sampler_.start_trace(jni, stacks_.naming(jni), std::move(trace));
  if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  {
    const std::lock_guard lock(mutex_);
    sampling_owner_ = request.session->id();
  }
  if (!request.session->is_open() || !reply.wanted()) return disconnected(request.session);
  reply.send_empty();
}

void ProfilingHandlers::stop_sampling(Reply reply) {
  const auto trace = sampler_.stop_trace();
  const std::lock_guard lock(mutex_);
  sampling_owner_ = 0;
  if (!trace) return reply.fail(FailCode::kRefused, trace.message());
  const std::string file = method_trace_file(*trace);
  reply.send(Chunk{kTraceData, Bytes(file.begin(), file.end())});
}

void ProfilingHandlers::disconnected(const SessionPtr& session) {
  bool sampling = false;
  {
    const std::lock_guard lock(mutex_);
    sampling = sampling_owner_ == session->id();
    if (sampling) sampling_owner_ = 0;
  }
  if (sampling) {
    context_.service.slow().post([this](JNIEnv*) {
      (void)sampler_.stop_trace();
      log_info("sampling: its server has gone, and nobody reads it");
    });
  }
  {
    const std::lock_guard lock(mutex_);
    if (owner_ != session->id()) return;
    owner_ = 0;
  }
  context_.service.slow().post([this](JNIEnv* jni) {
    tracing_.stop_trace(jni);
    log_info("method trace: its server has gone, and nobody reads it");
  });
}

}  // namespace ddm
