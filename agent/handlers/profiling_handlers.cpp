#include "handlers/profiling_handlers.h"

#include <utility>

#include "ddm/profiling.h"
#include "log.h"
#include "records/report.h"

namespace ddm {
namespace {

// Of Android's flags: the clocks. 0 leaves the choice to us.
constexpr std::uint32_t kDualClock = 0x110;

}  // namespace

void ProfilingHandlers::add_to(Dispatcher& dispatcher) {
  dispatcher.add(ProfilingState::kType, Lane::kInline, [this](const Request&, Reply reply) {
    reply.send(ProfilingState{tracing_.tracing() ? ProfilingState::Mode::kTracing
                                                 : ProfilingState::Mode::kOff});
  });
  dispatcher.add(TraceRequest::kType, Lane::kSlow, [this](const Request& request, Reply reply) {
    const auto wanted = TraceRequest::decode(request.data);
    if (!wanted) return reply.fail_bad_data("u4 buffer bytes, u4 flags[, str methods]");
    start(request, wanted->buffer_bytes, wanted->flags, wanted->methods, "", std::move(reply));
  });
  dispatcher.add(kStopTracing, Lane::kSlow,
                 [this](const Request&, Reply reply) { stop(std::move(reply)); });
  dispatcher.add(
      TraceToFileRequest::kType, Lane::kSlow, [this](const Request& request, Reply reply) {
        const auto wanted = TraceToFileRequest::decode(request.data);
        if (!wanted || wanted->path.empty()) {
          return reply.fail_bad_data("u4 buffer bytes, u4 flags, str path");
        }
        start(request, wanted->buffer_bytes, wanted->flags, "", wanted->path, std::move(reply));
      });
  dispatcher.add(kStopTracingToFile, Lane::kSlow,
                 [this](const Request&, Reply reply) { stop_to_file(std::move(reply)); });
  for (const ChunkType type : {SampleRequest::kType, kStopSampling}) {
    dispatcher.add(type, Lane::kInline, [](const Request& request, Reply reply) {
      reply.fail(FailCode::kRefused, chunk_name(request.type) + " is not available in this agent");
    });
  }
}

void ProfilingHandlers::start(const Request& request, std::uint32_t buffer_bytes,
                              std::uint32_t flags, const std::string& methods,
                              const std::string& file, Reply reply) {
  MethodTracing::TraceWish wish;
  wish.patterns = methods.empty() ? methods_ : methods;
  wish.bytes = buffer_bytes;
  wish.dual = (flags & kDualClock) == kDualClock;
  const std::string error = tracing_.start_trace(context_.jni(), wish);
  if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  {
    const std::lock_guard lock(mutex_);
    owner_ = request.session->id();
    file_ = file;
  }
  if (!request.session->is_open()) return disconnected(request.session);
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

void ProfilingHandlers::disconnected(const SessionPtr& session) {
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
