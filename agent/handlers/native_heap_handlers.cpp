#include "handlers/native_heap_handlers.h"

#include <malloc.h>

#include <algorithm>

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

bool wants_maps(const Session& session) { return session.modes.native_segments_when != 0; }

}  // namespace

void NativeHeapHandlers::add_to(Dispatcher& dispatcher) {
  dispatcher.add(
      kNativeSegment, Lane::kSlow,
      [this](const Request& request, Reply reply) { segments(request, std::move(reply)); });
  dispatcher.add(NativeHeap::kType, Lane::kSlow,
                 [this](const Request&, Reply reply) { allocations(std::move(reply)); });
  gc_events_.add_listener([this](JNIEnv*) { collected(); });
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
  if (wanted->when == kSegmentsNow) {
    send_map(*request.session, read_map());
    return reply.send_empty();
  }
  request.session->modes.native_segments_when = wanted->when;
  const std::string error = gc_events_.refresh();
  if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  reply.send_empty();
}

void NativeHeapHandlers::collected() {
  const auto sessions = context_.sessions();
  const bool wanted =
      std::any_of(sessions.begin(), sessions.end(),
                  [](const SessionPtr& session) { return wants_maps(*session); });
  // A map that still waits for its turn will be newer than this GC.
  if (!wanted || maps_due_.exchange(true)) return;
  context_.service.run(Lane::kSlow, [this] { send_maps(); });
}

void NativeHeapHandlers::send_maps() {
  maps_due_ = false;
  const auto wants_one_now = [](const SessionPtr& session) {
    return wants_maps(*session) && session->wait_for_room(std::chrono::milliseconds::zero());
  };
  auto sessions = context_.sessions();
  std::erase_if(sessions, [&](const SessionPtr& session) { return !wants_one_now(session); });
  if (sessions.empty()) return;
  try {
    const NativeMap map = read_map();
    for (const SessionPtr& session : sessions) send_map(*session, map);
  } catch (const std::exception& failure) {
    log_error("native heap map: {}", failure.what());
  }
}

NativeMap NativeHeapHandlers::read_map() {
  NativeMap map = read_native_map();
  if (!map.recognised && !warned_.exchange(true)) {
    const struct mallinfo2 totals = mallinfo2();
    log_warn("native heap map: {}; it shows mappings, not blocks. malloc says: {} bytes in use, "
             "{} free, {} in {} blocks with mappings of their own",
             map.why, totals.uordblks, totals.fordblks, totals.hblkhd, totals.hblks);
  }
  log_debug("native heap map: {} blocks, {} bytes in use, {} free, {} in caches, {} not readable as "
            "blocks, {} not found",
            map.blocks.size(), map.used_bytes, map.free_bytes, map.cached_bytes, map.lost_bytes,
            map.missing_bytes);
  return map;
}

void NativeHeapHandlers::send_map(Session& session, const NativeMap& map) {
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
  session.send_event(to_chunk(NativeHeapEnd{kWholeHeap}));
}

}  // namespace ddm
