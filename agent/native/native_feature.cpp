#include "native/native_feature.h"

#include <malloc.h>

#include <utility>

#include "core/log.h"

namespace ddm {
namespace {

// The granularity of malloc's blocks.
constexpr std::uint8_t kUnit = 16;

// The id in the brackets; segments have one per 4 GiB of addresses.
constexpr std::uint32_t kWholeHeap = 1;

// Some blocks always change during the walk.
constexpr std::uint64_t kWorthSaying = 4 << 20;

constexpr std::uint8_t kNativeState = heap_state(Solidity::kHard, HeapKind::kNative);

void write(const NativeMap& map, HeapMapWriter& writer) {
  for (const Block& block : map.blocks) {
    const bool used = block.state() == BlockState::kUsed;
    writer.add(block.address, block.bytes, used ? kNativeState : kFreeState);
  }
  writer.finish();
}

}  // namespace

void NativeFeature::add_chunks(Dispatcher& dispatcher) {
  dispatcher.add(kNativeSegment, Lane::kQuick, this, &NativeFeature::segments);
  dispatcher.add(NativeHeap::kType, Lane::kSlow, this, &NativeFeature::allocations);
  dispatcher.add(NativeSamplingState::kType, Lane::kSlow, this, &NativeFeature::switch_sampling);
  requests_.set_drawer([this](JNIEnv*, const auto& receivers) { draw_for(receivers); });
}

void NativeFeature::start(JNIEnv* jni, const GivenOptions& given) {
  if (!given.has("native")) return;
  const std::string error = sampling_.set(jni, static_cast<std::uint64_t>(options_.interval));
  if (!error.empty()) {
    log_error("native={}: {}; native allocations are not sampled", options_.interval, error);
  }
}

void NativeFeature::allocations(const Request&, Reply reply) {
  const auto heap = sampling_.read(context_.jni());
  if (!heap) {
    return reply.fail(FailCode::kRefused,
                      "NHGT: native allocations are not sampled; `ddm native PID on` does that, or "
                      "the agent's option native=BYTES (native=512k, say) from the start");
  }
  reply.send(*heap);
}

void NativeFeature::switch_sampling(const Request& request, Reply reply) {
  if (!request.data.empty()) {
    const auto wanted = decode<NativeSamplingRequest>(request.data);
    if (!wanted) return reply.fail_bad_data("nothing, or u8 bytes between samples, 0: off");
    const std::string error = sampling_.set(context_.jni(), wanted->interval);
    if (!error.empty()) return reply.fail(FailCode::kRefused, "native allocations: " + error);
  }
  reply.send(sampling_.state());
}

void NativeFeature::segments(const Request& request, Reply reply) {
  const auto wanted = decode<NativeSegmentsRequest>(request.data);
  if (!wanted) return reply.fail_bad_data("u1 when: 0 never, 1 at every GC, 2 now; u1 what");
  requests_.ask(request, std::move(reply), {wanted->when, 0});
}

void NativeFeature::draw_for(const std::vector<MapRequests::Receiver>& receivers) {
  const NativeMap map = read_map();
  const auto envelope_for = [](std::uint8_t) {
    return MapRequests::Envelope{{to_chunk(NativeHeapStart{kWholeHeap})},
                                 to_chunk(NativeHeapEnd{kWholeHeap}),
                                 kNativeSegment,
                                 kUnit};
  };
  requests_.deliver(receivers, envelope_for,
                    [&](std::uint8_t, HeapMapWriter& writer) { write(map, writer); });
}

NativeMap NativeFeature::read_map() {
  NativeMap map = read_native_map();
  if (!map.recognised && !std::exchange(warned_, true)) {
    const struct mallinfo2 totals = mallinfo2();
    log_warn(
        "native heap map: {}; it shows mappings, not blocks. malloc says: {} bytes in use, "
        "{} free, {} in {} blocks with mappings of their own",
        map.why, totals.uordblks, totals.fordblks, totals.hblkhd, totals.hblks);
  }
  if (map.missing_bytes > kWorthSaying && !std::exchange(warned_, true)) {
    log_warn("native heap map: {} bytes that malloc has got from the system were not found",
             map.missing_bytes);
  }
  log_debug(
      "native heap map: {} blocks, {} bytes in use, {} free, {} in caches, {} not readable as "
      "blocks, {} not found",
      map.blocks.size(), map.used_bytes, map.free_bytes, map.cached_bytes, map.lost_bytes,
      map.missing_bytes);
  return map;
}

}  // namespace ddm
