#include "handlers/map_requests.h"

#include "log.h"

namespace ddm {
namespace {

// A peer is waited for each time that so much has been sent.
constexpr std::size_t kPortion = std::size_t{1} << 20;

}  // namespace

void MapRequests::ask(const Request& request, Reply reply, MapWish wish, Standing standing,
                      DrawOne draw_one) {
  if (wish.when != SegmentsWhen::kNever) {
    const std::string error = maps_.start(context_.jni());
    if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  }
  if (wish.when == SegmentsWhen::kNow) {
    auto shared = std::make_shared<Reply>(std::move(reply));
    maps_.post([session = request.session, draw_one = std::move(draw_one), shared](JNIEnv* jni) {
      // Nobody stops the program for a server that has gone meanwhile.
      if (!session->is_open()) return shared->fail(FailCode::kRefused, "the connection is closed");
      const std::string error = draw_one(jni, *session);
      if (!error.empty()) return shared->fail(FailCode::kRefused, error);
      shared->send_empty();
    });
    return;
  }
  request.session->modes.*standing = wish;
  const std::string error = gc_events_.refresh();
  if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  reply.send_empty();
}

std::vector<SessionPtr> MapRequests::takers(Standing standing) const {
  auto sessions = context_.sessions();
  std::erase_if(sessions, [&](const SessionPtr& session) {
    const MapWish wish = session->modes.*standing;
    // A map that a server cannot take yet is old when it can.
    return wish.when != SegmentsWhen::kEveryGc ||
           !session->wait_for_room(std::chrono::milliseconds::zero());
  });
  return sessions;
}

std::string MapRequests::send(Session& session, const Envelope& envelope,
                              const std::function<void(HeapMapWriter&)>& write) {
  bool reads = true;
  std::size_t sent = 0;
  const auto end = std::chrono::steady_clock::now() + kWholePatience;
  session.send_event(envelope.start);
  HeapMapWriter writer(envelope.segment, envelope.unit, [&](Chunk chunk) {
    if (!reads) return;
    sent += chunk.data.size();
    session.send_event(std::move(chunk));
    if (sent < kPortion) return;
    sent = 0;
    reads = std::chrono::steady_clock::now() < end && session.wait_for_room(kPatience);
  });
  write(writer);
  if (!reads) {
    log_debug("heap map: session {} has not read on", session.id());
    return "the map was not read in time";
  }
  session.send_event(envelope.end);
  return "";
}

}  // namespace ddm
