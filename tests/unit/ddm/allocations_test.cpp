#include "wire/chunks/allocations.h"

#include "chunk_checks.h"
#include "core/class_names.h"

using namespace ddm;  // NOLINT: a test of one part

namespace {

bool add(AllocationsWriter& writer, std::string_view type_name, std::uint64_t bytes,
         std::uint16_t thread_id, const std::vector<AllocationFrame>& frames) {
  std::vector<AllocationsWriter::Place> places;
  for (const AllocationFrame& frame : frames) {
    const auto place = writer.place_of(frame);
    if (!place) return false;
    places.push_back(*place);
  }
  return writer.add(type_name, bytes, thread_id, places);
}

}  // namespace

TEST_CASE("Type names and descriptors turn into each other") {
  const std::pair<const char*, const char*> names[] = {
      {"java.lang.String", "Ljava/lang/String;"},
      {"int", "I"},
      {"int[][]", "[[I"},
      {"java.util.Map$Entry[]", "[Ljava/util/Map$Entry;"},
      {"a.B$$Lambda/0x12", "La/B$$Lambda.0x12;"},
      {"a.B$$Lambda/0x12[]", "[La/B$$Lambda.0x12;"},
      {"boolean", "Z"},
      {"A", "LA;"},
      {"long[]", "[J"},
      {"void", "V"}};
  for (const auto& [name, descriptor] : names) {
    CHECK(descriptor_of(name) == descriptor);
    CHECK(type_name_of(descriptor) == name);
  }
  for (const char* text : {"", "java.lang.String", "L", "L;", "[", "[[", "[X", "Lx", "B2"}) {
    CHECK(type_name_of(text) == text);
  }
}

TEST_CASE("REAL without records is its header alone") {
  AllocationsWriter writer;
  const Bytes bytes = writer.finish();
  CHECK(bytes == bytes_of("0f 09 08 0000 0000000f 0000 0000 0000"));
  const auto back = Allocations::decode(bytes);
  REQUIRE(back);
  CHECK(back->entries.empty());
}

TEST_CASE("REAL has header, entries with frames, and three tables") {
  AllocationsWriter writer;
  REQUIRE(add(writer, "int[]", 24, 3, {{"A", "f", "A.java", 10}, {"A", "g", "", -2}}));
  REQUIRE(add(writer, "A", 16, 4, {{"A", "f", "A.java", -1}}));
  REQUIRE(add(writer, "A", 16, 4, {}));
  CHECK(writer.entries() == 3);
  const Bytes bytes = writer.finish();
  CHECK(bytes == bytes_of("0f 09 08 0003 00000042 0002 0002 0002 "
                          "00000018 0003 0001 02  0000 0000 0000 000a  0000 0001 0001 fffe "
                          "00000010 0004 0000 01  0000 0000 0000 ffff "
                          "00000010 0004 0000 00 "
                          "00000003 \"LA; 00000002 \"[I "
                          "00000001 \"f 00000001 \"g "
                          "00000006 \"A.java 00000000"));
  const auto back = decode_exactly<Allocations>(bytes);
  REQUIRE(back);
  REQUIRE(back->entries.size() == 3);
  CHECK(back->entries[0].bytes == 24);
  CHECK(back->entries[0].thread_id == 3);
  CHECK(back->classes[back->entries[0].class_index] == "int[]");
  const auto frames = back->frames_of(back->entries[0]);
  REQUIRE(frames.size() == 2);
  CHECK(back->classes[frames[1].class_index] == "A");
  CHECK(back->methods[frames[1].method_index] == "g");
  CHECK(back->files[frames[1].file_index].empty());
  CHECK(frames[0].line == 10);
  CHECK(frames[1].line == -2);
  CHECK(back->frames_of(back->entries[2]).empty());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_FALSE(decode_exactly<Allocations>(ByteSpan(bytes).first(size)));
  }
}

TEST_CASE("REAL clips what its fields cannot hold") {
  AllocationsWriter writer;
  REQUIRE(add(writer, "A", std::uint64_t{1} << 33, 1,
              std::vector<AllocationFrame>(300, {"A", "f", "A.java", 70'000})));
  const auto back = Allocations::decode(writer.finish());
  REQUIRE(back);
  CHECK(back->entries[0].bytes == 0x7fffffff);
  CHECK(back->entries[0].frame_count == 255);
  CHECK(back->frames[0].line == 32767);
}

TEST_CASE("REAL takes 65,535 records and no more", "[large]") {
  AllocationsWriter writer;
  const std::vector<AllocationFrame> stack(16, {"a.B", "run", "B.java", 1});
  int added = 0;
  while (add(writer, "a.B", 16, 1, stack)) ++added;
  CHECK(added == 65'535);
  const Bytes bytes = writer.finish();
  CHECK(Bytes(bytes.begin() + 3, bytes.begin() + 5) == bytes_of("ffff"));
  CHECK(Allocations::decode(bytes)->entries.size() == 65'535);
  CHECK(writer.entries() == 0);  // as good as new
}

TEST_CASE("REAL leaves out the oldest records when a table of names is full", "[large]") {
  for (int table = 0; table < 3; ++table) {
    AllocationsWriter writer;
    int added = 0;
    while (true) {
      std::vector<std::string> names;
      std::vector<AllocationFrame> stack;
      for (int i = 0; i < 16; ++i) names.push_back("n" + std::to_string(added * 16 + i));
      for (const std::string_view name : names) {
        const auto in = [&](int wanted, std::string_view same) {
          return table == wanted ? name : same;
        };
        stack.push_back({in(0, "C"), in(1, "m"), in(2, "f")});
      }
      if (!add(writer, "C", 16, 1, stack)) break;
      ++added;
    }
    // 65,535 names: 4095 records of 16 new ones each; the class table has "C" besides.
    CHECK(added == 4095);
    const auto back = Allocations::decode(writer.finish());
    REQUIRE(back);
    CHECK(back->entries.size() == 4095);
    CHECK(back->methods[back->frames.back().method_index] == (table == 1 ? "n65519" : "m"));
    CHECK(std::max({back->classes.size(), back->methods.size(), back->files.size()}) <= 65'535);
  }
}

TEST_CASE("REAL with longer parts is read, with an index out of range it is not") {
  const auto longer =
      Allocations::decode(bytes_of("10 0a 09 0001 00000023 0001 0001 0001 ee "
                                   "00000010 0004 0000 01 ee  0000 0000 0000 0005 ee "
                                   "00000001 \"A 00000001 \"f 00000000"));
  REQUIRE(longer);
  CHECK(longer->entries[0].bytes == 16);
  CHECK(longer->frames[0].line == 5);
  CHECK_FALSE(Allocations::decode(
      bytes_of("0f 09 08 0001 00000018 0001 0000 0000 00000010 0004 0001 00 00000001 \"A")));
  CHECK_FALSE(Allocations::decode(
      bytes_of("0f 09 08 0001 00000020 0001 0001 0001 00000010 0004 0000 01 0000 0001 0000 0005 "
               "00000001 \"A 00000001 \"f 00000000")));
  CHECK_FALSE(Allocations::decode(bytes_of("0f 09 08 0000 00000010 0000 0000 0000")));
}
