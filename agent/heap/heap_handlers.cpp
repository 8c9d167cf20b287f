#include "heap/heap_handlers.h"

#include <algorithm>
#include <thread>

#include "core/clocks.h"
#include "core/log.h"
#include "heap/concurrent_cycle.h"
#include "vm/jvmti_error.h"
#include "vm/management.h"
#include "wire/chunks/app_state.h"
#include "wire/chunks/heap_dump.h"
#include "wire/chunks/packet.h"

namespace ddm {
namespace {

// Ids in HPIF. The Java heap's parts and the VM's other pools have numbers that 4 GiB slices of a
// heap map reach only with a heap of 400 GiB.
std::uint32_t id_of(PoolKind kind) {
  constexpr std::uint32_t kIds[] = {101, 102, 103, 111, 112, 121, 122, 123, 124};
  return kIds[static_cast<std::size_t>(kind)];
}

// Minus the headers of packet and chunk, and FAIL answers to other chunks of the packet.
constexpr std::size_t kMaxDump = kMaxOutgoingPacket - (std::size_t{1} << 20);

// The program is stopped during collections and dumps: lets it, and other requests, run in between.
void let_others_run() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

}  // namespace

void HeapHandlers::add_chunks(Dispatcher& dispatcher) {
  dispatcher.offer(
      {"hprof-heap-dump", "hprof-heap-dump-streaming", kHeapDumpPiecesFeature, kHeapUsageFeature});
  dispatcher.add(HeapInfoRequest::kType, Lane::kQuick, this, &HeapHandlers::info);
  dispatcher.add(HeapUsage::kType, Lane::kQuick, this, &HeapHandlers::usage);
  dispatcher.add(kCollectGarbage, Lane::kSlow, this, &HeapHandlers::collect);
  dispatcher.add(HeapDumpRequest::kType, Lane::kSlow, this, &HeapHandlers::dump_to_file);
  dispatcher.add(kHeapDumpStream, Lane::kSlow, this, &HeapHandlers::dump);
  dispatcher.add(HeapDumpPieceRequest::kType, Lane::kSlow, this, &HeapHandlers::dump_in_pieces);
  gc_events_.add_listener([this](JNIEnv* jni) { collected(jni); });
  maps_.add_to(dispatcher);  // HPIF comes before the maps of the same collection
}

HeapInfo HeapHandlers::read_info(JNIEnv* jni, HeapInfoWhen reason) {
  HeapInfo info;
  const auto time = static_cast<std::uint64_t>(epoch_ms());
  const auto add = [&](std::uint32_t id, const HeapFigures& figures) {
    info.heaps.push_back(
        {id, time, reason, figures.max_bytes, figures.committed_bytes, figures.used_bytes, 0});
  };
  if (const auto figures = figures_.heap(jni)) {
    add(kJavaHeap, *figures);
    info.heaps.back().allocated_objects = maps_.last_object_count();
  }
  for (const PoolFigures& pool : figures_.pools(jni)) add(id_of(pool.kind), pool.figures);
  return info;
}

void HeapHandlers::info(const Request& request, Reply reply) {
  const auto wanted = decode<HeapInfoRequest>(request.data);
  // It changes nothing, and has its reply: Android Studio's proxy swallows all other packets until an
  // HPIF comes back.
  if (!wanted) return reply.send(HeapInfo{});
  if (wanted->when == HeapInfoWhen::kNow) {
    return reply.send(read_info(context_.jni(), wanted->when));
  }
  request.session->modes.heap_info_when = wanted->when;
  request.session->modes.collections_since = std::chrono::steady_clock::now();
  const std::string error = gc_events_.refresh();
  if (!error.empty()) return reply.fail(FailCode::kRefused, error);
  reply.send(HeapInfo{});
}

void HeapHandlers::usage(const Request&, Reply reply) {
  const auto figures = figures_.heap(context_.jni());
  if (!figures) return reply.fail(FailCode::kRefused, "the VM does not tell of its heap");
  HeapUsage usage{figures->max_bytes, figures->committed_bytes, figures->used_bytes, {}};
  for (management::Collector& collector : management::collectors(context_.jni())) {
    usage.collectors.push_back({std::move(collector.name),
                                static_cast<std::uint64_t>(collector.count),
                                static_cast<std::uint64_t>(collector.ms)});
  }
  reply.send(usage);
}

void HeapHandlers::collected(JNIEnv* jni) {
  HeapInfo info;
  bool one_shot = false;
  for (const SessionPtr& session : context_.sessions()) {
    auto expected = HeapInfoWhen::kNextGc;
    const bool next =
        session->modes.heap_info_when.compare_exchange_strong(expected, HeapInfoWhen::kNever);
    const bool every = expected == HeapInfoWhen::kEveryGc;
    one_shot |= next;
    // Figures that a server cannot receive yet would be outdated later.
    if (!next && !(every && session->has_room())) continue;
    if (info.heaps.empty()) info = read_info(jni, HeapInfoWhen::kEveryGc);
    for (HeapInfo::Heap& heap : info.heaps) {
      heap.reason = next ? HeapInfoWhen::kNextGc : HeapInfoWhen::kEveryGc;
    }
    session->send_event(to_chunk(info));
  }
  if (one_shot) gc_events_.refresh();
}

void HeapHandlers::collect(const Request& request, Reply reply) {
  // A collection begun after this request, and after the server enabled events, serves it as well.
  const auto since = std::max(request.asked, request.session->modes.collections_since.load());
  if (collection_begun_ > since) return reply.send_empty();
  const auto begin = std::chrono::steady_clock::now();
  AgentThread& lane = context_.service.slow();
  const bool beside = !request.data.empty() && request.data.front() == 1;
  if (beside && run_concurrent_cycle(context_.jni(), [&lane] { return lane.stopping(); })) {
    return reply.send(collect_beside_program());
  }
  const jvmtiError error = context_.jvmti->ForceGarbageCollection();
  if (error != JVMTI_ERROR_NONE) {
    return reply.fail(FailCode::kRefused,
                      std::string("ForceGarbageCollection: ") + jvmti_error_name(error));
  }
  collection_begun_ = begin;
  reply.send_empty();
  let_others_run();
}

void HeapHandlers::dump_to_file(const Request& request, Reply reply) {
  const auto wanted = decode<HeapDumpRequest>(request.data);
  if (!wanted) return reply.fail_bad_data("str path");
  const auto written = dumper_.write(context_.jni(), wanted->path);
  // The reply has no field for a reason.
  if (!written) log_warn("heap dump: {}", written.message());
  reply.send(HeapDumpReply{written.ok()});
}

void HeapHandlers::dump(const Request& request, Reply reply) {
  bool made = false;
  auto dump = dump_.get(request.asked, [&]() -> Result<Chunk> {
    made = true;
    auto stored = dumper_.store(context_.jni(), {}, kMaxDump);
    if (!stored) return stored.error();
    return Chunk{kHeapDumpStream, {}, std::move(stored->data)};
  });
  if (!dump) return reply.fail(FailCode::kRefused, dump.message());
  reply.send(std::move(*dump));
  if (made) let_others_run();
}

void HeapHandlers::dump_in_pieces(const Request& request, Reply reply) {
  using What = HeapDumpPieceRequest::What;
  const auto wanted = decode<HeapDumpPieceRequest>(request.data);
  if (!wanted) return reply.fail_bad_data("u1 what: 0 make, 1 make with stacks, 2 next piece");
  if (wanted->what == What::kNextPiece) return next_piece(request, std::move(reply));
  HeapDumpMade made;
  HoldObjects hold;
  if (wanted->what == What::kMakeWithStacks) {
    made.no_stacks = followed_.why_none();
    if (made.no_stacks.empty()) hold = [this](JNIEnv* jni) { return followed_.hold(jni); };
  }
  pieces_.erase(request.session->id());
  auto stored = dumper_.store(context_.jni(), hold);
  if (!stored) return reply.fail(FailCode::kRefused, stored.message());
  made.bytes = stored->data->size();
  made.with_stack = stored->with_stack;
  if (request.session->is_open()) pieces_[request.session->id()] = {std::move(stored->data)};
  reply.send(made);
  let_others_run();
}

void HeapHandlers::next_piece(const Request& request, Reply reply) {
  const auto dump = pieces_.find(request.session->id());
  if (dump == pieces_.end()) {
    return reply.fail(FailCode::kRefused, "no heap dump has been made for this connection");
  }
  auto piece = dump->second.data->read(dump->second.sent, HeapDumpPieceRequest::kPiece);
  if (!piece) return reply.fail(FailCode::kRefused, piece.message());
  dump->second.sent += piece->size();
  if (dump->second.sent == dump->second.data->size()) pieces_.erase(dump);
  reply.send(Chunk{HeapDumpPieceRequest::kType, std::move(*piece)});
}

void HeapHandlers::session_ended(const SessionPtr& session) {
  context_.service.slow().post([this, id = session->id()](JNIEnv*) { pieces_.erase(id); });
}

}  // namespace ddm
