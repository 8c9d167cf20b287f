#include "allocations/tracking_handlers.h"

#include <span>
#include <unordered_map>

#include "core/log.h"
#include "wire/chunks/allocations.h"
#include "wire/chunks/zlib_chunk.h"

namespace ddm {
namespace {

// Caches the encoded frames of one REAL answer.
class FramesOfAnswer {
 public:
  using Place = AllocationsWriter::Place;

  FramesOfAnswer(const NameTable& names, AllocationsWriter& writer)
      : names_(names), writer_(writer) {}

  // Valid until the next call. nullopt: a table of the answer is full.
  std::optional<std::span<const Place>> of(std::span<const Frame> stack) {
    stack_.clear();
    for (const Frame& frame : stack) {
      const auto key = std::uint64_t{frame.method} << 32 | static_cast<std::uint32_t>(frame.bci);
      auto known = places_.find(key);
      if (known == places_.end()) {
        const MethodName& method = names_.method(frame.method);
        const auto place = writer_.place_of(
            {method.class_name, method.method, method.file, line_of(method, frame.bci)});
        if (!place) return {};
        known = places_.emplace(key, *place).first;
      }
      stack_.push_back(known->second);
    }
    return stack_;
  }

 private:
  const NameTable& names_;
  AllocationsWriter& writer_;
  std::unordered_map<std::uint64_t, Place> places_;
  std::vector<Place> stack_;
};

}  // namespace

void TrackingHandlers::add_to(Dispatcher& dispatcher) {
  dispatcher.add(TrackingRequest::kType, Lane::kInline, this, &TrackingHandlers::enable);
  dispatcher.add(TrackingState::kType, Lane::kInline, this, &TrackingHandlers::query);
  dispatcher.add(kAllocations, Lane::kSlow, this, &TrackingHandlers::list);
}

void TrackingHandlers::enable(const Request& request, Reply reply) {
  const auto wanted = decode<TrackingRequest>(request.data);
  if (!wanted) return reply.fail_bad_data("u1 on[, u1 only while connected]");
  switching_.run(context_.service, request, std::move(reply),
                 [this, wanted = *wanted](const Request& switched, Reply& answer) {
                   switch_tracking(wanted, switched.session, answer);
                 });
}

void TrackingHandlers::switch_tracking(const TrackingRequest& wanted, const SessionPtr& session,
                                       Reply& reply) {
  if (tracking_ == nullptr) {
    return reply.fail(FailCode::kRefused, "allocations of this VM cannot be tracked");
  }
  if (!wanted.on && wanted.while_connected && !ends_lease(session)) return reply.send_empty();
  JNIEnv* jni = context_.jni();
  const bool was_on = tracking_->on();
  const std::string error = wanted.on ? tracking_->start(jni) : tracking_->stop(jni);
  for (SharedAnswer& answer : allocations_) answer.forget();
  if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  {
    const std::lock_guard lock(lease_mutex_);
    leased_ = wanted.on && wanted.while_connected && (leased_ || !was_on);
    if (!leased_) lessees_.clear();
    if (leased_) lessees_.insert(session->id());
  }
  if (!session->is_open()) return disconnected(session);
  reply.send_empty();
}

// Whether tracking was on for this session only; it needs it no more.
bool TrackingHandlers::ends_lease(const SessionPtr& session) {
  const std::lock_guard lock(lease_mutex_);
  return lessees_.erase(session->id()) != 0 && lessees_.empty();
}

void TrackingHandlers::disconnected(const SessionPtr& session) {
  if (!ends_lease(session)) return;
  context_.service.slow().post([this](JNIEnv* jni) {
    {
      const std::lock_guard lock(lease_mutex_);
      if (!leased_ || !lessees_.empty()) return;  // another session needs it by now
      leased_ = false;
    }
    const std::string error = tracking_->stop(jni);
    for (SharedAnswer& answer : allocations_) answer.forget();
    log_info("tracking: who has switched it on for a while has gone; off again");
    if (!error.empty()) log_error("switching tracking off: {}", error);
  });
}

void TrackingHandlers::query(const Request& request, Reply reply) {
  switching_.after(context_.service, request, std::move(reply), [this](Reply& answer) {
    answer.send(TrackingState{tracking_ != nullptr && tracking_->on()});
  });
}

void TrackingHandlers::list(const Request& request, Reply reply) {
  const bool zlib = request.session->takes_zlib();
  auto answer = allocations_[zlib].get(request.asked, [&]() -> Result<Chunk> {
    auto made = allocations(request.session);
    return made && zlib ? smallest_chunk(std::move(*made)) : std::move(made);
  });
  if (!answer) return reply.fail(FailCode::kInternal, answer.message());
  reply.send(std::move(*answer));
}

Result<Chunk> TrackingHandlers::allocations(const SessionPtr& session) {
  AllocationsWriter writer;
  if (tracking_ == nullptr || !tracking_->has_figures()) {
    return Chunk{kAllocations, writer.finish()};
  }
  const ReportData data = tracking_->records();
  std::size_t frames = 0;
  for (std::size_t i = 0; i < data.records.size(); ++i) frames += data.records[i].frames.size();
  writer.reserve(data.records.size(), frames);
  const auto thread_ids = small_ids_(context_.jni(), data.records.thread_ids());
  FramesOfAnswer frames_of(*data.names, writer);
  for (std::size_t i = 0; i < data.records.size(); ++i) {
    // Closed sessions, also at the program's end, need no answer.
    if (!session->is_open()) return Error{"nobody is left to answer"};
    const auto [record, raw_frames] = data.records[i];
    const auto stack = frames_of.of(raw_frames);
    const auto thread = thread_ids.find(record.thread_id);
    if (!stack ||
        !writer.add(data.names->class_name(record.class_id),
                    static_cast<std::uint64_t>(record.size),
                    thread == thread_ids.end() ? std::uint16_t{0} : thread->second, *stack)) {
      break;
    }
  }
  return Chunk{kAllocations, writer.finish()};
}

}  // namespace ddm
