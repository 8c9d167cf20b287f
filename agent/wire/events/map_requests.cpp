#include "wire/events/map_requests.h"

#include <map>
#include <utility>

#include "core/log.h"
#include "wire/chunks/event_bundle.h"

namespace ddm {

void MapRequests::set_drawer(DrawFor draw_for) {
  draw_for_ = std::move(draw_for);
  maps_.add_drawer([this](JNIEnv* jni) { draw(jni, /*after_collection=*/true); });
}

void MapRequests::ask(const Request& request, Reply reply, MapSettings settings) {
  if (settings.when != SegmentsWhen::kNever) {
    const std::string error = maps_.start(context_.jni());
    if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  }
  if (settings.when == SegmentsWhen::kNow) {
    auto shared = std::make_shared<Reply>(std::move(reply));
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back({request.session, settings.what, std::move(shared)});
      if (waiting_.size() > 1) return;  // a drawing is already scheduled
    }
    const std::string error =
        maps_.post([this](JNIEnv* jni) { draw(jni, /*after_collection=*/false); });
    if (!error.empty()) fail(take_waiting(), error);
    return;
  }
  request.session->modes.*standing_ = settings;
  request.session->modes.collections_since = std::chrono::steady_clock::now();
  const std::string error = gc_events_.refresh();
  if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  reply.send_empty();
}

std::vector<MapRequests::Receiver> MapRequests::take_waiting() {
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

void MapRequests::draw(JNIEnv* jni, bool after_collection) {
  std::vector<Receiver> receivers = take_waiting();
  // A drawing stops the program: not for sessions that closed or requests that were refused
  // meanwhile.
  std::erase_if(receivers, [](const Receiver& one) {
    return !one.session->is_open() || (one.reply && !one.reply->wanted());
  });
  if (after_collection) add_standing(receivers);
  if (!receivers.empty()) draw_for_(jni, receivers);
}

void MapRequests::add_standing(std::vector<Receiver>& receivers) const {
  for (const SessionPtr& session : context_.sessions()) {
    const MapSettings settings = session->modes.*standing_;
    // By the time a session with a full queue could receive the map, it would be out of date.
    if (settings.when == SegmentsWhen::kEveryGc && session->has_room()) {
      receivers.push_back({session, settings.what, nullptr});
    }
  }
}

void MapRequests::deliver(const std::vector<Receiver>& receivers, const EnvelopeFor& envelope_for,
                          const Write& write) const {
  std::map<std::pair<std::uint8_t, bool>, std::vector<Receiver>> alike;
  for (const Receiver& one : receivers) {
    alike[{one.what, one.session->takes_zlib()}].push_back(one);
  }
  for (const auto& [form, group] : alike) {
    const auto [what, zlib] = form;
    Envelope envelope = envelope_for(what);
    EventBundle bundle(zlib);
    for (Chunk& chunk : envelope.start) bundle.add(std::move(chunk));
    HeapMapWriter writer(envelope.segment, envelope.unit, [&](Chunk chunk) {
      if (!maps_.closing()) bundle.add(std::move(chunk));
    });
    write(what, writer);
    bundle.add(envelope.end);
    const std::string failed = bundle.finish();
    if (!failed.empty()) {
      fail(group, failed);
      continue;
    }
    for (const Receiver& one : group) {
      bundle.send_to(*one.session);
      if (one.reply) one.reply->send_empty();
    }
  }
}

void MapRequests::fail(const std::vector<Receiver>& receivers, const std::string& why) {
  bool said = false;
  for (const Receiver& one : receivers) {
    if (one.reply) {
      one.reply->fail(FailCode::kRefused, why);
    } else if (!std::exchange(said, true)) {
      log_error("map of memory: {}", why);
    }
  }
}

}  // namespace ddm
