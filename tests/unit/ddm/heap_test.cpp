#include "chunk_checks.h"
#include "wire/chunks/heap_dump.h"
#include "wire/chunks/heap_info.h"
#include "wire/chunks/heap_map_writer.h"
#include "wire/chunks/heap_regions.h"
#include "wire/chunks/native_heap.h"
#include "wire/chunks/profiling.h"

using namespace ddm;  // NOLINT: a test of one part

namespace {

constexpr std::uint8_t kObject = heap_state(Solidity::kHard, HeapKind::kObject);
constexpr std::uint8_t kBytes = heap_state(Solidity::kHard, HeapKind::kArray1);

struct Map {
  std::vector<HeapSegment> segments;
  std::vector<Chunk> chunks;
  HeapMapWriter writer;

  explicit Map(ChunkType type, std::uint8_t unit = 8)
      : writer(type, unit, [this](Chunk chunk) {
          const auto segment = decode<HeapSegment>(chunk.data);
          REQUIRE(segment);  // pairs and length agree, no object is left open
          segments.push_back(*segment);
          chunks.push_back(std::move(chunk));
        }) {}
};

}  // namespace

TEST_CASE("HPIF asks when, and only for what there is") {
  check_chunk(HeapInfoRequest{HeapInfoWhen::kEveryGc}, "03");
  CHECK(decode<HeapInfoRequest>(bytes_of("02"))->when == HeapInfoWhen::kNextGc);
  CHECK_FALSE(decode<HeapInfoRequest>(bytes_of("04")));
  CHECK(to_chunk(HeapInfoRequest{}).type == chunk_type("HPIF"));
}

TEST_CASE("HPIF's reply is 32 bytes for one heap and 4 for none") {
  HeapInfo info;
  info.heaps.push_back({1, 0x0102030405060708, HeapInfoWhen::kNow, 64, 32, 16, 2});
  check_chunk(info, "00000001 00000001 0102030405060708 01 00000040 00000020 00000010 00000002");
  CHECK(encode(info).size() == 4 + 29);
  check_chunk(HeapInfo{}, "00000000");
  info.heaps.push_back({2, 0, HeapInfoWhen::kEveryGc, 1, 1, 1, 1});
  CHECK(decode<HeapInfo>(encode(info)) == info);
  CHECK_FALSE(decode<HeapInfo>(bytes_of("ffffffff 00000001")));
}

TEST_CASE("HPIF's figures stay below 2 GiB, since servers read them signed") {
  HeapInfo info;
  info.heaps.push_back({1, 0, HeapInfoWhen::kNow, std::uint64_t{6} << 30, 0x80000000, 0x7fffffff,
                        0xffffffffffffffff});
  const Bytes bytes = encode(info);
  CHECK(Bytes(bytes.begin() + 17, bytes.end()) == bytes_of("7fffffff 7fffffff 7fffffff 7fffffff"));
}

TEST_CASE("HPUS tells the heap uncut, and each collector") {
  const HeapUsage usage{std::uint64_t{6} << 30, 0x80000000, 0x7fffffff, {{"Copy", 2, 3}}};
  check_chunk(usage,
              "0000000180000000 0000000080000000 000000007fffffff 00000001 "
              "00000004 0043 006f 0070 0079 0000000000000002 0000000000000003");
  CHECK_FALSE(decode<HeapUsage>(bytes_of("0000000180000000 0000000080000000")));
}

TEST_CASE("HPSG and NHSG ask when and what") {
  check_chunk(HeapSegmentsRequest{{SegmentsWhen::kEveryGc, 1}}, "01 01");
  check_chunk(HeapSegmentsRequest{{SegmentsWhen::kNow, 0}}, "02 00");
  check_chunk(NativeSegmentsRequest{{SegmentsWhen::kNever, 1}}, "00 01");
  CHECK_FALSE(decode<HeapSegmentsRequest>(bytes_of("03 00")));
  CHECK_FALSE(decode<HeapSegmentsRequest>(bytes_of("01 02")));
  check_chunk(NativeSegmentsRequest{{SegmentsWhen::kNow, 0}}, "02 00");
  CHECK(decode<NativeSegmentsRequest>(bytes_of("01 09")));
}

TEST_CASE("Brackets carry the heap's id") {
  check_chunk(HeapStart{1}, "00000001");
  check_chunk(HeapEnd{1}, "00000001");
  check_chunk(NativeHeapStart{7}, "00000007");
  check_chunk(NativeHeapEnd{7}, "00000007");
  CHECK(to_chunk(HeapStart{}).type == chunk_type("HPST"));
  CHECK(to_chunk(HeapEnd{}).type == chunk_type("HPEN"));
  CHECK(to_chunk(NativeHeapStart{}).type == chunk_type("NHST"));
  CHECK(to_chunk(NativeHeapEnd{}).type == chunk_type("NHEN"));
}

TEST_CASE("A segment is its place, its length and pairs") {
  const HeapSegment segment{1, 8, 0x10000, 0, 3, bytes_of("01 01 00 00")};
  check_chunk(segment, "00000001 08 00010000 00000000 00000003 01 01 00 00");
}

TEST_CASE("An object of more than 256 units is several pairs and one run") {
  // The pairs that ddmlib was seen to read as one element of 300 units.
  const auto segment =
      decode<HeapSegment>(bytes_of("00000001 08 00000000 00000000 0000012c 81 ff 01 2b"));
  REQUIRE(segment);
  CHECK(segment->runs() == std::vector<HeapRun>{{kObject, 300}});
}

TEST_CASE("A segment whose pairs do not add up is refused") {
  const std::string head = "00000001 08 00000000 00000000 ";
  CHECK(decode<HeapSegment>(bytes_of(head + "00000002 01 01")));
  CHECK_FALSE(decode<HeapSegment>(bytes_of(head + "00000003 01 01")));
  CHECK_FALSE(decode<HeapSegment>(bytes_of(head + "00000001 01 01")));
  CHECK_FALSE(decode<HeapSegment>(bytes_of(head + "00000002 01 01 00")));     // half a pair
  CHECK_FALSE(decode<HeapSegment>(bytes_of(head + "00000100 81 ff")));        // no end
  CHECK_FALSE(decode<HeapSegment>(bytes_of(head + "00000101 81 ff 11 00")));  // another kind
}

TEST_CASE("The merged map joins neighbours of one state and never sets P") {
  Map map(kMergedSegment);
  map.writer.add(0x1000, 16, kObject);
  map.writer.add(0x1010, 24, kObject);
  map.writer.add(0x1028, 8 * 300, kBytes);
  map.writer.add(0x1028 + 8 * 300, 80, kFreeState);
  map.writer.finish();
  REQUIRE(map.segments.size() == 1);
  CHECK(map.chunks[0].type == chunk_type("HPSG"));
  CHECK(map.chunks[0].data ==
        bytes_of("00000001 08 00001000 00000000 0000013b 01 04 11 ff 11 2b 00 09"));
}

TEST_CASE("The object map ends a run with every object") {
  Map map(kObjectSegment);
  map.writer.add(0, 16, kObject);
  map.writer.add(16, 24, kObject);
  map.writer.add(40, 8 * 600, kBytes);
  map.writer.add(40 + 8 * 600, 8 * 300, kFreeState);
  map.writer.finish();
  REQUIRE(map.segments.size() == 1);
  CHECK(map.chunks[0].type == chunk_type("HPSO"));
  CHECK(map.segments[0].pairs == bytes_of("01 01 01 02 91 ff 91 ff 11 57 00 ff 00 2b"));
  CHECK(map.segments[0].runs() ==
        std::vector<HeapRun>{
            {kObject, 2}, {kObject, 3}, {kBytes, 600}, {kFreeState, 256}, {kFreeState, 44}});
}

TEST_CASE("A gap begins a segment of its own") {
  Map map(kMergedSegment);
  map.writer.add(0, 16, kObject);
  map.writer.add(64, 16, kObject);
  map.writer.finish();
  REQUIRE(map.segments.size() == 2);
  CHECK(map.segments[0].start == 0);
  CHECK(map.segments[1].start == 64);
  CHECK(map.segments[1].offset == 0);
}

TEST_CASE("Every 4 GiB are a heap of their own") {
  constexpr std::uint64_t kSlice = std::uint64_t{1} << 32;
  for (const ChunkType type : {kMergedSegment, kObjectSegment}) {
    Map map(type);
    map.writer.add(kSlice - 16, 48, kBytes);
    map.writer.add(kSlice + 32, 8, kObject);
    map.writer.add(3 * kSlice + 8, 8, kObject);
    map.writer.finish();
    REQUIRE(map.segments.size() == 3);
    CHECK(map.segments[0].heap_id == 1);
    CHECK(map.segments[0].start == 0xfffffff0);
    CHECK(map.segments[0].runs() == std::vector<HeapRun>{{kBytes, 2}});
    CHECK(map.segments[1].heap_id == 2);
    CHECK(map.segments[1].start == 0);
    CHECK(map.segments[1].runs() == std::vector<HeapRun>{{kBytes, 4}, {kObject, 1}});
    CHECK(map.segments[2].heap_id == 4);
    CHECK(map.segments[2].start == 8);
  }
}

TEST_CASE("A unit that several objects share belongs to the last one") {
  Map map(kObjectSegment, 64);
  map.writer.add(0, 16, kObject);
  map.writer.add(16, 16, kBytes);   // in the middle of unit 0: no trace
  map.writer.add(32, 96, kObject);  // ends unit 0, fills unit 1
  map.writer.add(128, 16, kBytes);  // begins unit 2, which ends the heap
  map.writer.finish();
  REQUIRE(map.segments.size() == 1);
  CHECK(map.segments[0].runs() == std::vector<HeapRun>{{kObject, 2}, {kBytes, 1}});
}

TEST_CASE("A last unit that is only begun is counted with its object") {
  Map map(kObjectSegment);
  map.writer.add(0, 12, kObject);
  map.writer.finish();
  REQUIRE(map.segments.size() == 1);
  CHECK(map.segments[0].runs() == std::vector<HeapRun>{{kObject, 2}});
}

TEST_CASE("A big heap becomes many chunks of bounded size, complete and without overlap") {
  for (const ChunkType type : {kMergedSegment, kObjectSegment}) {
    Map map(type);
    std::uint64_t position = 0;
    std::uint64_t objects = 0;
    for (int i = 0; i < 30'000; ++i) {
      const std::uint64_t size = 8 * (1 + static_cast<std::uint64_t>(i % 700));
      map.writer.add(position, size, i % 3 == 0 ? kFreeState : i % 3 == 1 ? kObject : kBytes);
      objects += i % 3 != 0;
      position += size;
    }
    map.writer.finish();
    CHECK(map.segments.size() > 5);
    std::uint64_t next = 0;
    std::uint64_t bytes = 0, of_objects = 0;
    for (const HeapSegment& segment : map.segments) {
      CHECK(segment.start == next);
      CHECK(segment.pairs.size() <= 16'000);
      next += std::uint64_t{segment.units} * segment.unit;
      for (const HeapRun& run : segment.runs()) {
        bytes += run.units * segment.unit;
        of_objects += run.state != kFreeState;
      }
    }
    CHECK(next == position);
    CHECK(bytes == position);
    if (type == kObjectSegment) CHECK(of_objects == objects);
  }
}

TEST_CASE("An object bigger than a chunk usually is stays one object") {
  Map map(kObjectSegment);
  map.writer.add(0, 8, kObject);
  map.writer.add(8, std::uint64_t{100} << 20, kBytes);
  map.writer.finish();
  REQUIRE(map.segments.size() == 2);
  CHECK(map.segments[1].runs() == std::vector<HeapRun>{{kBytes, (100 << 20) / 8}});
  CHECK(map.segments[1].start == 8);
}

TEST_CASE("An empty map sends nothing, and a writer can be used again") {
  Map map(kMergedSegment);
  map.writer.finish();
  map.writer.add(0, 0, kObject);
  map.writer.finish();
  CHECK(map.segments.empty());
  map.writer.add(0, 8, kObject);
  map.writer.finish();
  map.writer.add(8, 8, kObject);
  map.writer.finish();
  CHECK(map.segments.size() == 2);
}

TEST_CASE("HPDP asks for a dump and for its pieces, and is told of what was made") {
  using What = HeapDumpPieceRequest::What;
  for (const What what : {What::kMake, What::kMakeWithStacks, What::kNextPiece}) {
    const HeapDumpPieceRequest request{what};
    CHECK(encode(request) == Bytes{static_cast<std::uint8_t>(what)});
    CHECK(decode<HeapDumpPieceRequest>(encode(request)) == request);
  }
  CHECK_FALSE(decode<HeapDumpPieceRequest>(Bytes{3}));
  CHECK_FALSE(decode<HeapDumpPieceRequest>(Bytes{}));
  const HeapDumpMade made{std::uint64_t{5} << 32, 77, "live= is off"};
  const Bytes bytes = encode(made);
  CHECK(bytes.size() == 8 + 8 + 4 + 2 * 12);
  CHECK(decode<HeapDumpMade>(bytes) == made);
  CHECK_FALSE(decode<HeapDumpMade>(ByteSpan(bytes).first(19)));
}

TEST_CASE("HPDU, MPRS and their replies have their fields in order") {
  check_chunk(HeapDumpRequest{"/t"}, "00000002 \"/t");
  check_chunk(HeapDumpReply{true}, "00");
  check_chunk(HeapDumpReply{false}, "ff");
  check_chunk(TraceToFileRequest{0x800000, 1, "/t"}, "00800000 00000001 00000002 \"/t");
  check_chunk(TraceToFileReply{false}, "01");
  check_chunk(TraceRequest{0x800000, 0}, "00800000 00000000");
  const TraceRequest filtered{1, 2, "a", 3, "b"};
  CHECK(encode(filtered) ==
        Bytes{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0x61, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0x62});
  CHECK(decode<TraceRequest>(encode(filtered)) == filtered);
  CHECK(decode<TraceRequest>(ByteSpan(encode(filtered)).first(14))->below.empty());
  CHECK_FALSE(decode<TraceRequest>(ByteSpan(encode(filtered)).first(20)));
  const TraceRequest kept{1, 2, "", 0, "", "/t"};
  CHECK(decode<TraceRequest>(encode(kept)) == kept);
  check_chunk(SampleRequest{0x800000, 0, 1000}, "00800000 00000000 000003e8");
  const SampleRequest kept_samples{1, 2, 1000, "/t"};
  CHECK(decode<SampleRequest>(encode(kept_samples)) == kept_samples);
  check_chunk(ProfilingState{ProfilingState::Mode::kSampling}, "02");
  CHECK_FALSE(decode<ProfilingState>(bytes_of("03")));
  CHECK(to_chunk(HeapDumpReply{}).type == chunk_type("HPDU"));
  CHECK(to_chunk(TraceToFileRequest{}).type == chunk_type("MPRS"));
  CHECK(to_chunk(TraceToFileReply{}).type == chunk_type("MPRE"));
  CHECK(to_chunk(TraceRequest{}).type == chunk_type("MPSS"));
  CHECK(to_chunk(SampleRequest{}).type == chunk_type("SPSS"));
  CHECK(to_chunk(ProfilingState{}).type == chunk_type("MPRQ"));
}

TEST_CASE("NHGT without native tracking is 48 bytes, little-endian") {
  check_chunk(NativeHeap{},
              "dd452381 0200 0800 0000000000000000 0000000000000000 0000000000000000 "
              "0000000000000000 0000000000000000");
}

TEST_CASE("NHGT has the maps and records of one size") {
  NativeHeap heap;
  heap.maps = "m\n";
  heap.total_bytes = 300;
  heap.depth = 2;
  heap.records = {{100, 2, {0x1122334455667788, 1}}, {50, 2, {9}}};
  check_chunk(heap,
              "dd452381 0200 0800 0200000000000000 4000000000000000 2000000000000000 "
              "2c01000000000000 0200000000000000 'm 0a "
              "6400000000000000 0200000000000000 8877665544332211 0100000000000000 "
              "3200000000000000 0200000000000000 0900000000000000 0000000000000000");
}

TEST_CASE("NHGT of a 32-bit VM is read, and one that contradicts itself is not") {
  const auto heap =
      NativeHeap::decode(bytes_of("dd452381 0200 0400 00000000 0c000000 0c000000 64000000 01000000 "
                                  "64000000 01000000 78563412"));
  REQUIRE(heap);
  CHECK(heap->records == std::vector<NativeHeap::Record>{{100, 1, {0x12345678}}});
  CHECK_FALSE(
      NativeHeap::decode(bytes_of("dd452381 0200 0400 00000000 0c000000 0c000000 64000000 02000000 "
                                  "64000000 01000000 78563412")));
  CHECK_FALSE(
      NativeHeap::decode(bytes_of("dd452381 0200 0400 00000000 0c000000 00000000 64000000 01000000 "
                                  "64000000 01000000 78563412")));
  CHECK_FALSE(NativeHeap::decode(
      bytes_of("dd452381 0100 0400 00000000 00000000 00000000 00000000 00000000")));
}

TEST_CASE("Addresses of a native backtrace are named by the answer's maps") {
  const NativePlaces places(
      "7f0000001000-7f0000003000 r-xp 00002000 08:01 4711       /usr/lib/with blank/libz.so.1\n"
      "7f0000003000-7f0000004000 rw-p 00000000 00:00 0 \n"
      "no line of maps\n"
      "4a00000000000010-4a00000000000020 r-xp 00000000 00:00 0 [java] a.B.c(B.java:8)");
  CHECK(places.of(0x7f0000001000) == "/usr/lib/with blank/libz.so.1+0x2000");
  CHECK(places.of(0x7f0000002fff) == "/usr/lib/with blank/libz.so.1+0x3fff");
  CHECK(places.of(0x7f0000003000) == "0x7f0000003000");  // memory of no file
  CHECK(places.of(0x7f0000000fff) == "0x7f0000000fff");
  CHECK(places.of(0x4a00000000000010) == "a.B.c(B.java:8)");
  CHECK(NativePlaces("").of(1) == "0x1");
}

TEST_CASE("HPRG asks for regions and HPCL comes with the classes of tiles") {
  check_chunk(HeapRegionsRequest{RegionDetail::kClasses}, "02");
  CHECK_FALSE(decode<HeapRegionsRequest>(bytes_of("03")));
  CHECK_FALSE(decode<HeapRegionsRequest>(bytes_of("")));
  check_chunk(HeapRegions{{{0x100000000, 0x100000, 0x18, RegionRole::kHumongous}}},
              "00000001 0000000100000000 0000000000100000 0000000000000018 05");
  check_chunk(HeapClasses{0x4000, {"a"}, {{0x8000, 0, 3, 72}}},
              "0000000000004000 00000001 00000001 0061 00000001 "
              "0000000000008000 00000000 00000003 0000000000000048");
  CHECK_FALSE(decode<HeapRegions>(bytes_of("00000002 00")));
}
