// libFuzzer target over everything that takes bytes from a peer.
//
// The first byte says what the rest is: 0 a stream of packets, 1 a heap map to be written, 2 text,
// 3 a ZLIB chunk, 4 and up the data of one kind of chunk. A finding is a crash, a sanitizer's
// complaint or a broken promise (check()).
#include <cstdio>
#include <cstdlib>

#include "core/class_names.h"
#include "core/utf16.h"
#include "wire/chunks/allocations.h"
#include "wire/chunks/app_state.h"
#include "wire/chunks/dispatcher.h"
#include "wire/chunks/fail.h"
#include "wire/chunks/heap_dump.h"
#include "wire/chunks/heap_info.h"
#include "wire/chunks/heap_map_writer.h"
#include "wire/chunks/hello.h"
#include "wire/chunks/native_heap.h"
#include "wire/chunks/packet.h"
#include "wire/chunks/probes.h"
#include "wire/chunks/profiling.h"
#include "wire/chunks/report_chunk.h"
#include "wire/chunks/switch_request.h"
#include "wire/chunks/thread_chunks.h"
#include "wire/chunks/thread_locks.h"
#include "wire/chunks/zlib_chunk.h"

namespace {

using namespace ddm;  // NOLINT: a test of one part

void check(bool promise, const char* words) {
  if (promise) return;
  std::fprintf(stderr, "broken: %s\n", words);
  std::abort();
}

class OpenSession : public Session {
 public:
  std::uint64_t id() const override { return 1; }
  bool is_open() const override { return true; }
  void send_event(Chunk) override {}
  bool wait_for_room(std::chrono::milliseconds) override { return true; }
  void send(OutgoingPacket) override {}
  bool takes_zlib() const override { return false; }
  void close() override {}
};

class AtOnce : public Executor {
 public:
  void run(Lane, const SessionPtr&, std::function<void()> task) override { task(); }
};

// What is understood can be said again, and means the same then.
template <typename Message>
void decode_one(ByteSpan data) {
  const auto message = decode<Message>(data);
  if (!message) return;
  const Bytes bytes = encode(*message);
  const auto again = decode<Message>(bytes);
  check(again.has_value(), "what was encoded can be decoded");
  check(encode(*again) == bytes, "decoding and encoding settles");
}

void decode_allocations(ByteSpan data) {
  const auto allocations = Allocations::decode(data);
  if (!allocations) return;
  AllocationsWriter writer;
  for (const Allocations::Entry& entry : allocations->entries) {
    std::vector<AllocationsWriter::Place> frames;
    for (const Allocations::Frame& frame : allocations->frames_of(entry)) {
      const auto place = writer.place_of({allocations->classes.at(frame.class_index),
                                          allocations->methods.at(frame.method_index),
                                          allocations->files.at(frame.file_index), frame.line});
      check(place.has_value(), "names that came in one chunk fit into one");
      frames.push_back(*place);
    }
    check(writer.add(allocations->classes.at(entry.class_index), entry.bytes, entry.thread_id,
                     frames),
          "what came in one chunk fits into one");
  }
  const auto again = Allocations::decode(writer.finish());
  check(again && again->entries.size() == allocations->entries.size(), "REAL settles");
}

void decode_segment(ByteSpan data) {
  const auto segment = decode<HeapSegment>(data);
  if (!segment) return;
  std::uint64_t units = 0;
  for (const HeapRun& run : segment->runs()) units += run.units;
  check(units == segment->units, "runs make the segment");
  decode_one<HeapSegment>(data);
}

constexpr void (*kDecoders[])(ByteSpan) = {
    decode_one<HelloRequest>,
    decode_one<HelloReply>,
    decode_one<Features>,
    decode_one<ReportRequest>,
    decode_one<ReportAtEndRequest>,
    decode_one<SaidAtLoad>,
    decode_one<AppName>,
    decode_one<Waiting>,
    decode_one<ExitRequest>,
    decode_one<Fail>,
    decode_one<ThreadEventsRequest>,
    decode_one<ThreadCreated>,
    decode_one<ThreadDied>,
    decode_one<ThreadStatusRequest>,
    decode_one<ThreadStatusTable>,
    decode_one<ThreadStatusList>,
    decode_one<JavaThreadIds>,
    decode_one<ThreadStack>,
    decode_one<ThreadLocks>,
    decode_one<HeapInfoRequest>,
    decode_one<HeapInfo>,
    decode_one<HeapSegmentsRequest>,
    decode_one<HeapStart>,
    decode_segment,
    decode_one<HeapDumpRequest>,
    decode_one<HeapDumpPieceRequest>,
    decode_one<HeapDumpMade>,
    decode_one<TraceToFileRequest>,
    decode_one<TraceRequest>,
    decode_one<SampleRequest>,
    decode_one<ProfilingState>,
    decode_one<NativeHeap>,
    decode_allocations,
    decode_one<ProbeRequest>,
    decode_one<ProbeFindings>,
    decode_one<OutlookRequest>,
    decode_one<ClassOutlook>,
};

// A stream, fed in pieces of the size of its first byte; every request gets one reply.
void read_stream(ByteSpan data) {
  if (data.empty()) return;
  const std::size_t piece = data[0] + 1u;
  data = data.subspan(1);
  PacketReader reader(1 << 16);
  Dispatcher dispatcher;
  AtOnce executor;
  const auto echo = [](const Request& request, Reply reply) {
    for (const auto decoder : kDecoders) decoder(request.data);
    reply.send(Chunk{request.type, request.data});
  };
  dispatcher.add(chunk_type("HELO"), Lane::kInline, echo);
  dispatcher.add(chunk_type("THST"), Lane::kQuick, echo);
  dispatcher.add(chunk_type("REAL"), Lane::kSlow, [](const Request&, const Reply&) {});
  const auto session = std::make_shared<OpenSession>();
  while (!data.empty()) {
    const std::size_t size = std::min(piece, data.size());
    reader.append(data.first(size));
    data = data.subspan(size);
    while (const auto packet = reader.next()) {
      check(packet->bytes.size() == packet->header.length, "a packet is as long as it says");
      if (!packet->header.is_ddm_command()) continue;
      int replies = 0;
      const ByteSpan payload = packet->payload();
      dispatcher.dispatch(session, Bytes(payload.begin(), payload.end()), executor,
                          [&](const std::vector<Chunk>&) { ++replies; });
      check(replies == 1, "one reply for a request");
    }
  }
}

// Stretches of memory in any order -> segments that hold exactly their units.
void write_heap_map(ByteSpan data) {
  constexpr ChunkType kTypes[] = {kMergedSegment, kObjectSegment, kNativeSegment};
  ByteReader in(data);
  const ChunkType type = kTypes[in.u1() % 3];
  const std::uint8_t unit = in.u1();
  std::uint64_t units = 0;
  HeapMapWriter writer(type, unit, [&](const Chunk& chunk) {
    const auto segment = decode<HeapSegment>(chunk.data);
    check(segment.has_value(), "a written segment can be read");
    units += segment->units;
  });
  std::uint64_t position = 0;
  std::uint64_t most = 0;
  while (!in.at_end()) {
    if (in.u1() % 8 == 0) position += in.u4();
    // Big enough to cross 4 GiB now and then, small enough to be fast.
    const std::uint64_t size = in.u1() % 32 == 0 ? std::uint64_t{in.u2()} << 6 : in.u1();
    writer.add(position, size, in.u1() & 0x3f);
    position += size;
    most += size / std::clamp<std::uint8_t>(unit, 1, 127) + 2;
  }
  writer.finish();
  check(units <= most, "no more units than memory");
}

void convert_text(ByteSpan data) {
  const std::string text(data.begin(), data.end());
  const std::string valid = to_utf8(to_utf16(text));
  check(to_utf8(to_utf16(valid)) == valid, "valid UTF-8 stays as it is");
  const std::string name = type_name_of(text);
  check(!name.empty() || text.empty(), "a name stays a name");
}

void expand(ByteSpan data) {
  const auto inner = expand_chunk(data, 1 << 20);
  if (!inner) return;
  check(inner->data.size() <= 1 << 20, "the bound is kept");
  if (const auto packed = compress_chunk(*inner)) {
    const auto again = expand_chunk(packed->data, 1 << 20);
    check(again && *again == *inner, "ZLIB and back");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const ByteSpan data(bytes + 1, size - 1);
  switch (bytes[0]) {
    case 0:
      read_stream(data);
      break;
    case 1:
      write_heap_map(data);
      break;
    case 2:
      convert_text(data);
      break;
    case 3:
      expand(data);
      break;
    default:
      kDecoders[(bytes[0] - 4u) % std::size(kDecoders)](data);
  }
  return 0;
}
