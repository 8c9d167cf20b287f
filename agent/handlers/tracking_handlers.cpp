#include "handlers/tracking_handlers.h"

#include <exception>

#include "ddm/allocations.h"
#include "ddm/switch_request.h"

namespace ddm {

void TrackingHandlers::add_to(Dispatcher& dispatcher) {
  dispatcher.add(
      TrackingRequest::kType, Lane::kInline,
      [this](const Request& request, Reply reply) { enable(request, std::move(reply)); });
  dispatcher.add(TrackingState::kType, Lane::kInline,
                 [this](const Request&, Reply reply) { query(std::move(reply)); });
  dispatcher.add(kAllocations, Lane::kSlow,
                 [this](const Request&, Reply reply) { list(std::move(reply)); });
}

void TrackingHandlers::enable(const Request& request, Reply reply) {
  const auto wanted = TrackingRequest::decode(request.data);
  if (!wanted) return reply.fail_bad_data("u1 on");
  {
    const std::lock_guard lock(mutex_);
    ++switching_;
  }
  // Shared only because a std::function has to be copyable.
  auto shared = std::make_shared<Reply>(std::move(reply));
  context_.service.run(Lane::kSlow, request.session->id(), [this, on = wanted->on, shared] {
    try {
      switch_tracking(on, *shared);
    } catch (const std::exception& failure) {
      shared->fail(FailCode::kInternal, failure.what());
    }
    std::vector<Reply> waiting;
    {
      const std::lock_guard lock(mutex_);
      if (--switching_ == 0) waiting.swap(waiting_);
    }
    for (Reply& query : waiting) send_state(query);
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

void TrackingHandlers::query(Reply reply) {
  {
    const std::lock_guard lock(mutex_);
    if (switching_ > 0) return waiting_.push_back(std::move(reply));
  }
  send_state(reply);
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

}  // namespace ddm
