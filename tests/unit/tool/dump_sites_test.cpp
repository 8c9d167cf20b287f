#include "graph/dump_sites.h"

#include <catch2/catch.hpp>

#include "../report/dump_sample.h"

namespace ddm {
namespace {

// Classes a.B and [La.B; two stacks: of a native method, and of two frames of a.B.
Dump with_stacks() {
  Dump dump;
  dump.text(101, "a/B").text(102, "[La/B;").text(103, "make").text(104, "()V").text(105, "B.java");
  dump.record(2, Dump::body([](Dump& d) { d.u(1, 4).u(0x20, 8).u(1, 4).u(101, 8); }));
  dump.record(2, Dump::body([](Dump& d) { d.u(2, 4).u(0x30, 8).u(1, 4).u(102, 8); }));
  const auto frame = [&](std::uint64_t id, std::uint32_t line) {
    dump.record(4, Dump::body([&](Dump& d) {
                  d.u(id, 8).u(103, 8).u(104, 8).u(105, 8).u(1, 4).u(line, 4);
                }));
  };
  frame(1, 12);
  frame(2, 0xFFFFFFFD);
  dump.record(5, Dump::body([](Dump& d) { d.u(1, 4).u(0, 4).u(0, 4); }));
  dump.record(5, Dump::body([](Dump& d) { d.u(2, 4).u(0, 4).u(2, 4).u(2, 8).u(1, 8); }));
  dump.record(5, Dump::body([](Dump& d) { d.u(3, 4).u(0, 4).u(1, 4).u(1, 8); }));
  return dump;
}

void instance(Dump& d, std::uint64_t id, std::uint32_t trace) {
  d.u(0x21, 1).u(id, 8).u(trace, 4).u(0x20, 8).u(12, 4).u(0, 8).u(0, 4);
}
void references(Dump& d, std::uint64_t id, std::uint32_t trace, std::uint32_t n) {
  d.u(0x22, 1).u(id, 8).u(trace, 4).u(n, 4).u(0x30, 8).bytes +=
      std::string(8 * std::size_t{n}, '\0');
}
void shorts(Dump& d, std::uint64_t id, std::uint32_t trace, std::uint32_t n) {
  d.u(0x23, 1).u(id, 8).u(trace, 4).u(n, 4).u(9, 1).bytes += std::string(2 * std::size_t{n}, '\0');
}

Result<SitesOfDump> read(const std::string& dump) {
  const DumpFile file(dump);
  return read_dump_sites(file.fd(), [](std::uint64_t) {});
}

}  // namespace

TEST_CASE(
    "the sites of a dump are its classes and stacks, with what their objects take in the heap") {
  Dump dump = with_stacks();
  // As with compressed references and classes: 24 bytes an instance, 4 a reference, headers of 16.
  dump.record(0x1C, Dump::body([](Dump& d) {
                instance(d, 0x1000, 2);
                instance(d, 0x1018, 3);
                references(d, 0x1030, 3, 10);
                shorts(d, 0x1068, 1, 4);
                shorts(d, 0x1080, 2, 5);
              }));
  dump.record(0x1C, Dump::body([](Dump& d) {
                instance(d, 0x5000, 2);
                d.u(5, 1).u(0x20, 8);
                references(d, 0x5020, 3, 100);
              }));
  dump.record(0x2C, "");
  const auto sites = read(dump.bytes);
  REQUIRE(sites);
  CHECK(sites->count == 7);
  CHECK(sites->bytes == 3 * 24 + 56 + 416 + 24 + 32);
  CHECK(sites->with_stack == 6);
  REQUIRE(sites->sites.size() == 5);
  const SitesOfDump& all = *sites;
  CHECK(all.sites[0].class_name == "a.B[]");
  CHECK(all.sites[0].count == 2);
  CHECK(all.sites[0].bytes == 56 + 416);
  CHECK(all.sites[1].class_name == "a.B");
  CHECK(all.sites[1].count == 2);
  REQUIRE(all.sites[1].stack.size() == 2);
  CHECK(all.sites[1].stack[0].name == FrameName{"a.B", "make", "B.java", kLineNative});
  CHECK(all.sites[1].stack[1].name == FrameName{"a.B", "make", "B.java", 12});
  CHECK(all.sites[1].stack[1].signature == "()V");
  const SiteFigures figures = figures_of(all);
  CHECK(figures.sites[1].at == all.sites[1].stack[0].name);
  CHECK(figures.count() == all.with_stack);
  CHECK(figures.bytes() == all.with_stack_bytes);
}

TEST_CASE("whatever a broken dump claims, reading its sites ends with an error") {
  Dump dump = with_stacks();
  dump.record(0x1C, Dump::body([](Dump& d) { shorts(d, 0x1068, 1, 4); })).record(0x2C, "");
  const std::string whole = dump.bytes;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto sites = read(whole.substr(0, size));
    REQUIRE_FALSE(sites);
    CHECK_FALSE(sites.message().empty());
  }
  CHECK(read("no dump").message() == "this is no heap dump (hprof)");
  CHECK_FALSE(read(whole.substr(0, whole.size() - 1)));
  Dump reference = with_stacks();
  reference.record(0x1C, Dump::body([](Dump& d) {
                     d.u(0x23, 1).u(1, 8).u(1, 4).u(1, 4).u(2, 1).u(0, 8);  // of references
                   }));
  reference.record(0x2C, "");
  CHECK_FALSE(read(reference.bytes));
  Dump endless = with_stacks();
  endless.record(
      0x1C, Dump::body([](Dump& d) { d.u(0x23, 1).u(1, 8).u(1, 4).u(0xFFFFFFFF, 4).u(11, 1); }));
  endless.record(0x2C, "");
  CHECK_FALSE(read(endless.bytes));
}

TEST_CASE("a dump that was cut between two records is refused, and one in several is the last") {
  const auto segment = [](std::uint32_t objects) {
    return Dump::body([&](Dump& d) {
      for (std::uint32_t i = 0; i < objects; ++i) shorts(d, 0x1000 + 0x18 * i, 1, 4);
    });
  };
  Dump cut = with_stacks();
  CHECK(read(cut.bytes).message() == "it is cut, or no dump: it has no objects");
  cut.record(0x1C, segment(1)).record(0x1C, segment(2));
  CHECK(read(cut.bytes).message() == "it is cut: the end of its heap dump is missing");
  Dump unfinished = with_stacks();
  unfinished.record(0x0C, "").bytes += segment(2);
  CHECK(read(unfinished.bytes).message() == "it is cut: the end of its heap dump is missing");

  // As hprof writes them: one at each signal, in either form.
  Dump several = with_stacks();
  several.record(0x1C, segment(2)).record(0x1C, segment(3)).record(0x2C, "");
  REQUIRE(read(several.bytes));
  CHECK(read(several.bytes)->count == 5);
  CHECK(which_dump(read(several.bytes)->extent).empty());
  several.text(900, "later").record(0x0C, segment(7));
  several.record(0x1C, segment(3)).record(0x2C, "");
  const auto last = read(several.bytes);
  REQUIRE(last);
  CHECK(last->count == 3);
  CHECK(which_dump(last->extent) == "the file has 3 heap dumps: the last one is read");
  several.record(0x1C, segment(9));
  for (const std::size_t missing : {0, 5}) {
    const auto before = read(several.bytes.substr(0, several.bytes.size() - missing));
    REQUIRE(before);
    CHECK(before->count == 3);
    CHECK(which_dump(before->extent) ==
          "the file is cut: the last whole heap dump in it, number 3, is read");
  }
}

TEST_CASE("an instance is its fields and a header of 16 bytes where class pointers are not small") {
  // As 17 has it with -XX:-UseCompressedClassPointers: an array's header of 20 bytes ends in a gap.
  Dump dump = with_stacks();
  dump.record(0x1C, Dump::body([](Dump& d) {
                shorts(d, 0x1000, 1, 4);  // 24 and 8
                shorts(d, 0x1020, 1, 2);  // 24 and 4, and 4 to fill
                instance(d, 0x1040, 1);   // 16, a reference of 4 and an int
                instance(d, 0x1058, 1);
                references(d, 0x1070, 1, 3);
                shorts(d, 0x1098, 1, 4);
              }));
  dump.record(0x2C, "");
  const auto sites = read(dump.bytes);
  REQUIRE(sites);
  std::int64_t bytes = 0;
  for (const DumpSite& site : sites->sites) {
    if (site.class_name == "a.B") bytes += site.bytes;
  }
  CHECK(bytes == 2 * 24);
}

namespace {

// Bytes of one a.B among 2,000 that are `distance` apart, from last to first where they follow
// references.
std::int64_t bytes_of_one(std::uint64_t distance, bool backwards) {
  constexpr std::uint32_t kObjects = 2000;
  Dump dump = with_stacks();
  dump.record(0x1C, Dump::body([&](Dump& d) {
                for (std::uint32_t i = 0; i < kObjects; ++i) {
                  instance(d, 0x100000 + distance * (backwards ? kObjects - i : i), 1);
                }
              }));
  dump.record(0x2C, "");
  const auto sites = read(dump.bytes);
  REQUIRE(sites);
  return sites->bytes / kObjects;
}

}  // namespace

TEST_CASE("the sizes of a dump's objects are those of their alignment and their paddings") {
  for (const bool backwards : {false, true}) {
    CHECK(bytes_of_one(24, backwards) == 24);
    CHECK(bytes_of_one(32, backwards) == 32);    // -XX:ObjectAlignmentInBytes=16 or 32
    CHECK(bytes_of_one(256, backwards) == 256);  // and 256
    CHECK(bytes_of_one(280, backwards) == 280);  // @Contended: twice 128
    CHECK(bytes_of_one(80, backwards) == 32);    // what was between them is not in the dump
  }
}

TEST_CASE("all arrays of small elements have the header that one kind of them shows") {
  // As with -XX:+UseCompactObjectHeaders: 12 bytes.
  Dump dump = with_stacks();
  dump.record(0x1C, Dump::body([](Dump& d) {
                d.u(0x23, 1).u(0x1000, 8).u(1, 4).u(4, 4).u(8, 1).u(0, 4);  // byte[4]
                d.u(0x23, 1).u(0x1010, 8).u(1, 4).u(1, 4).u(6, 1).u(0, 4);  // float[1]
                shorts(d, 0x1040, 1, 2);
              }));
  dump.record(0x2C, "");
  const auto sites = read(dump.bytes);
  REQUIRE(sites);
  CHECK(sites->bytes == 3 * 16);
}

}  // namespace ddm
