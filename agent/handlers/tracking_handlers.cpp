#include "handlers/tracking_handlers.h"

#include <exception>

#include "ddm/allocations.h"
#include "ddm/report_chunk.h"
#include "ddm/switch_request.h"

namespace ddm {
namespace {

// What one packed report may hold of the program's memory.
constexpr std::size_t kMaxReport = std::size_t{32} << 20;

}  // namespace

class TrackingHandlers::Switching {
 public:
  Switching(TrackingHandlers& handlers, std::uint64_t session)
      : handlers_(handlers), session_(session) {
    const std::lock_guard lock(handlers_.mutex_);
    ++handlers_.switching_[session_];
  }
  ~Switching() {
    const std::lock_guard lock(handlers_.mutex_);
    if (--handlers_.switching_[session_] == 0) handlers_.switching_.erase(session_);
  }
  Switching(const Switching&) = delete;
  Switching& operator=(const Switching&) = delete;

 private:
  TrackingHandlers& handlers_;
  const std::uint64_t session_;
};

void TrackingHandlers::add_to(Dispatcher& dispatcher) {
  dispatcher.add(
      TrackingRequest::kType, Lane::kInline,
      [this](const Request& request, Reply reply) { enable(request, std::move(reply)); });
  dispatcher.add(TrackingState::kType, Lane::kInline,
                 [this](const Request& request, Reply reply) { query(request, std::move(reply)); });
  dispatcher.add(kAllocations, Lane::kSlow,
                 [this](const Request&, Reply reply) { list(std::move(reply)); });
  dispatcher.add(ReportRequest::kType, Lane::kSlow, [this](const Request& request, Reply reply) {
    report(request, std::move(reply));
  });
}

void TrackingHandlers::enable(const Request& request, Reply reply) {
  const auto wanted = TrackingRequest::decode(request.data);
  if (!wanted) return reply.fail_bad_data("u1 on");
  // Counts as long as the task lives, done or dropped. Shared only because a std::function has to
  // be copyable.
  auto switching = std::make_shared<Switching>(*this, request.session->id());
  auto shared = std::make_shared<Reply>(std::move(reply));
  context_.service.run(Lane::kSlow, request.session, [this, on = wanted->on, switching, shared] {
    try {
      switch_tracking(on, *shared);
    } catch (const std::exception& failure) {
      shared->fail(FailCode::kInternal, failure.what());
    }
  });
}

void TrackingHandlers::switch_tracking(bool on, Reply& reply) {
  if (tracking_ == nullptr) {
    return reply.fail(FailCode::kRefused, "allocations of this VM cannot be tracked");
  }
  JNIEnv* jni = context_.jni();
  const std::string error = on ? tracking_->start(jni) : tracking_->stop(jni);
  if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  reply.send_empty();
}

void TrackingHandlers::query(const Request& request, Reply reply) {
  if (!is_switching(request.session->id())) return send_state(reply);
  auto shared = std::make_shared<Reply>(std::move(reply));
  context_.service.run(Lane::kSlow, request.session, [this, shared] { send_state(*shared); });
}

bool TrackingHandlers::is_switching(std::uint64_t session) {
  const std::lock_guard lock(mutex_);
  return switching_.contains(session);
}

void TrackingHandlers::send_state(Reply& reply) const {
  reply.send(TrackingState{tracking_ != nullptr && tracking_->on()});
}

void TrackingHandlers::list(Reply reply) {
  AllocationsWriter writer;
  if (tracking_ != nullptr && tracking_->has_records()) {
    JNIEnv* jni = context_.jni();
    const ReportData data = tracking_->report(jni, "request");
    std::unordered_set<std::int64_t> threads;
    for (std::size_t i = 0; i < data.records.size(); ++i) {
      threads.insert(data.records[i].record.thread_id);
    }
    const auto thread_ids = threads_.ids(jni, threads);
    std::vector<AllocationFrame> frames;
    for (std::size_t i = 0; i < data.records.size(); ++i) {
      const auto [record, raw_frames] = data.records[i];
      frames.clear();
      for (const Frame& frame : raw_frames) {
        const MethodName& method = data.names->method(frame.method);
        frames.push_back(
            {method.class_name, method.method, method.file, line_of(method, frame.bci)});
      }
      const auto thread = thread_ids.find(record.thread_id);
      if (!writer.add(data.names->class_name(record.class_id),
                      static_cast<std::uint64_t>(record.size),
                      thread == thread_ids.end() ? std::uint16_t{0} : thread->second, frames)) {
        break;
      }
    }
  }
  reply.send(Chunk{kAllocations, writer.finish()});
}

void TrackingHandlers::report(const Request& request, Reply reply) {
  const auto wanted = ReportRequest::decode(request.data);
  if (!wanted) return reply.fail_bad_data("str format");
  const auto format = report_format_of("." + wanted->format);
  if (!format && wanted->format != kSummaryFormat) {
    return reply.fail(FailCode::kRefused,
                      "a report is html, txt, jsonl, collapsed, pb.gz or summary, not " + wanted->format);
  }
  if (tracking_ == nullptr) {
    return reply.fail(FailCode::kRefused, "allocations of this VM cannot be tracked");
  }
  ReportPacker packer(kMaxReport);
  // Who has gone, and the program's end, need no report.
  const ReportSink sink = [&](std::string_view piece) {
    return request.session->is_open() && packer.add(piece);
  };
  ReportData data = tracking_->report(context_.jni(), "request");
  if (format) {
    report_as(*format, data, sink);
  } else {
    summary_line(data, sink);
  }
  auto packed = packer.finish();
  if (!packed) return reply.fail(FailCode::kTooBig, packed.message());
  reply.send(Chunk{ReportRequest::kType, std::move(*packed)});
}

}  // namespace ddm
