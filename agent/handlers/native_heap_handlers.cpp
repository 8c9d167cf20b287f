#include "handlers/native_heap_handlers.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

#include "ddm/heap_map_writer.h"
#include "log.h"

namespace ddm {
namespace {

// What malloc's blocks are multiples of.
constexpr std::uint8_t kUnit = 16;

// The id in the brackets; the segments have one for each 4 GiB of addresses.
constexpr std::uint32_t kWholeHeap = 1;

constexpr std::uint8_t kNativeState = heap_state(Solidity::kHard, HeapKind::kNative);

// A server that takes nothing for so long does not want the rest of the map.
constexpr std::chrono::seconds kPatience{10};

bool wants_map_now(const SessionPtr& session) {
  // A map that a server cannot take yet is old when it can.
  return session->modes.native_segments_when != 0 &&
         session->wait_for_room(std::chrono::milliseconds::zero());
}

}  // namespace

void NativeHeapHandlers::add_to(Dispatcher& dispatcher) {
  dispatcher.add(kNativeSegment, Lane::kQuick, [this](const Request& request, Reply reply) {
    segments(request, std::move(reply));
  });
  dispatcher.add(NativeHeap::kType, Lane::kSlow,
                 [this](const Request&, Reply reply) { allocations(std::move(reply)); });
  maps_.add_drawer([this](JNIEnv*) { draw_for_all(); });
}

void NativeHeapHandlers::allocations(Reply reply) {
  if (sampling_ == nullptr) {
    return reply.fail(FailCode::kRefused,
                      "NHGT: native allocations are not sampled; the agent's option native=BYTES "
                      "(native=512k, say) does that from the start");
  }
  reply.send(sampling_->read(context_.jni()));
}

void NativeHeapHandlers::segments(const Request& request, Reply reply) {
  const auto wanted = NativeSegmentsRequest::decode(request.data);
  if (!wanted) return reply.fail_bad_data("u1 when: 0 never, 1 at every GC, 2 now; u1 what");
  if (wanted->when != SegmentsWhen::kNever) {
    const std::string error = maps_.start(context_.jni());
    if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  }
  if (wanted->when == SegmentsWhen::kNow) {
    auto shared = std::make_shared<Reply>(std::move(reply));
    maps_.post([this, session = request.session, shared](JNIEnv*) {
      draw_for_one(*session, std::move(*shared));
    });
    return;
  }
  request.session->modes.native_segments_when = static_cast<std::uint8_t>(wanted->when);
  const std::string error = gc_events_.refresh();
  if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  reply.send_empty();
}

void NativeHeapHandlers::draw_for_all() {
  auto sessions = context_.sessions();
  std::erase_if(sessions, [](const SessionPtr& session) { return !wants_map_now(session); });
  if (sessions.empty()) return;
  const NativeMap map = read_map();
  for (const SessionPtr& session : sessions) send(*session, map);
}

void NativeHeapHandlers::draw_for_one(Session& session, Reply reply) {
  if (!send(session, read_map())) {
    return reply.fail(FailCode::kRefused, "the map was not read in time");
  }
  reply.send_empty();
}

NativeMap NativeHeapHandlers::read_map() {
  NativeMap map = read_native_map();
  if (!map.recognised && !std::exchange(warned_, true)) {
    const struct mallinfo2 totals = mallinfo2();
    log_warn(
        "native heap map: {}; it shows mappings, not blocks. malloc says: {} bytes in use, "
        "{} free, {} in {} blocks with mappings of their own",
        map.why, totals.uordblks, totals.fordblks, totals.hblkhd, totals.hblks);
  }
  log_debug(
      "native heap map: {} blocks, {} bytes in use, {} free, {} in caches, {} not readable as "
      "blocks, {} not found",
      map.blocks.size(), map.used_bytes, map.free_bytes, map.cached_bytes, map.lost_bytes,
      map.missing_bytes);
  return map;
}

bool NativeHeapHandlers::send(Session& session, const NativeMap& map) const {
  bool taken = true;
  session.send_event(to_chunk(NativeHeapStart{kWholeHeap}));
  HeapMapWriter writer(kNativeSegment, kUnit, [&](Chunk chunk) {
    taken = taken && session.wait_for_room(kPatience);
    if (taken) session.send_event(std::move(chunk));
  });
  for (const Block& block : map.blocks) {
    if (!taken) break;
    const bool used = block.state() == BlockState::kUsed;
    writer.add(block.address, block.bytes, used ? kNativeState : kFreeState);
  }
  writer.finish();
  if (!taken) return false;
  session.send_event(to_chunk(NativeHeapEnd{kWholeHeap}));
  return true;
}

}  // namespace ddm
