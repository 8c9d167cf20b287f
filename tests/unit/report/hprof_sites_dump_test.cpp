#include "report/hprof/hprof_sites_dump.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "dump_sample.h"
#include "report/hprof/hprof_heap_text.h"
#include "report/hprof/hprof_reader.h"
#include "report_sample.h"

namespace ddm {
namespace {

constexpr std::size_t kEmptyClass = 71;
constexpr std::uint64_t kHandle = 0x7f12'3450'0008, kOther = 0x7f12'3450'0010;

// The sample's instance is held by one of our handles, and its array by another.
DumpSites sites_of(ReportSample& names, TraceNumber* number = nullptr) {
  auto traces = CallTree::create(16, 8);
  const Frame frames[] = {names.frame("a.B", "make", "B.java", 12),
                          names.frame("not.in.the.Dump", "run", "", kLineNative)};
  const TraceNumber trace = traces->number_of(frames);
  if (number != nullptr) *number = trace;
  DumpSites sites;
  sites.stacks.traces = std::move(traces);
  sites.stacks.names = &names.names;
  CHECK(sites.objects.add(kHandle | 2, trace));
  CHECK(sites.objects.add(kOther | 2, kEmptyTrace));
  return sites;
}

Dump dump_with_roots() {
  Dump dump = small_dump();
  dump.bytes.resize(dump.bytes.size() - 9);  // its end
  dump.record(0x1C, Dump::body([](Dump& d) {
                d.u(1, 1).u(0x500, 8).u(kHandle, 8);
                d.u(1, 1).u(0x700, 8).u(kOther, 8);
              }));
  return dump.record(0x2C, "");
}

std::string rewritten(const std::string& dump, DumpSites& sites,
                      SitesDumpResult* result = nullptr) {
  const DumpFile file(dump);
  std::string out;
  const SitesDumpResult done = write_sites_dump(file.fd(), sites, into(out), [](std::uint64_t) {});
  if (result != nullptr) {
    *result = done;
  } else {
    CHECK(done.problem.empty());
  }
  return out;
}

}  // namespace

TEST_CASE("objects whose stack is known have the number of it, and our own roots are gone") {
  ReportSample names;
  DumpSites sites = sites_of(names);
  SitesDumpResult result;
  const DumpFile file(rewritten(dump_with_roots().bytes, sites, &result));
  CHECK(result.problem.empty());
  CHECK(result.with_stack == 1);
  HprofReader in(file.fd());
  REQUIRE(in.open());
  std::map<std::uint64_t, std::uint32_t> traces;  // by object
  std::vector<std::uint64_t> handles;
  std::map<std::uint32_t, std::uint32_t> depths;  // of stacks
  bool objects_begun = false;
  while (const auto record = in.next()) {
    if (record->tag == HprofReader::kTrace) {
      CHECK_FALSE(objects_begun);
      const auto serial = static_cast<std::uint32_t>(in.bytes().integer(4));
      CHECK(in.bytes().integer(4) == 0);  // of no thread
      depths[serial] = static_cast<std::uint32_t>(in.bytes().integer(4));
    }
    if (!record->holds_objects()) continue;
    objects_begun = true;
    while (const auto object = in.next_object()) {
      if (object->kind == HprofReader::kJniGlobal) handles.push_back(object->jni_handle);
      if (!object->is_root()) traces[object->id] = object->trace;
    }
  }
  CHECK(in.problem().empty());
  CHECK(handles == std::vector<std::uint64_t>{0x99});
  CHECK(traces.size() == 7);     // with two classes of which the VM has no CLASS DUMP
  CHECK(traces.contains(0x30));  // told of by the VM
  CHECK(traces[0x600] == 1);     // what the VM wrote
  CHECK(traces[0x700] == 1);     // no stack
  CHECK(depths[traces[0x500]] == 2);
}

TEST_CASE("a stream gives its own numbers to the stacks of a dump, in text too") {
  ReportSample names;
  DumpSites sites = sites_of(names);
  std::vector<std::size_t> depths;
  sites.stacks.number = [&](std::span<const Frame> frames, ReportNames&) {
    depths.push_back(frames.size());
    return 300'007u;
  };
  const std::string before = dump_with_roots().bytes;
  const std::string after = rewritten(before, sites);
  CHECK(depths == std::vector<std::size_t>{2});
  CHECK(after.size() ==
        before.size() - 2 * 9 - 2 * 17 + kEmptyClass);  // segments are one, our roots gone
  const DumpFile file(after);
  std::string text;
  CHECK(hprof_heap_text(file.fd(), {}, 0, into(text)).empty());
  CHECK(text.find("OBJ 500 (sz=32, trace=300007, class=a.B@20)\n") != std::string::npos);
  CHECK(text.find("ARR 700 (sz=24, trace=300000, nelems=3, elem type=short)\n") !=
        std::string::npos);
}

TEST_CASE("frames of one line have the bytecode indices in their numbers") {
  ReportSample names;
  const Frame here = names.frame("a.B", "make", "B.java", 12), there{here.method, here.bci + 2};
  const Frame native = names.frame("a.B", "run", "", kLineNative);
  auto traces = CallTree::create(16, 8);
  const Frame first[] = {here, native}, second[] = {there, native};
  DumpSites sites;
  sites.stacks.names = &names.names;
  CHECK(sites.objects.add(kHandle | 2, traces->number_of(first)));
  CHECK(sites.objects.add(kOther | 2, traces->number_of(second)));
  sites.stacks.traces = std::move(traces);
  const DumpFile file(rewritten(dump_with_roots().bytes, sites));
  HprofReader in(file.fd());
  REQUIRE(in.open());
  std::map<std::int32_t, std::int32_t> lines;  // by bytecode index
  while (const auto record = in.next()) {
    if (record->tag != HprofReader::kFrame) continue;
    const std::int32_t bci = HprofNumbers::bci_of(in.id());
    in.bytes().skip(3 * 8 + 4);
    CHECK(lines.emplace(bci, static_cast<std::int32_t>(in.bytes().integer(4))).second);
  }
  CHECK(lines == std::map<std::int32_t, std::int32_t>{{here.bci, 12}, {there.bci, 12}, {-1, -3}});
}

// What AHAT wants of a dump: the classes that are told of, and those with a CLASS DUMP.
struct Classes {
  std::map<std::uint64_t, std::string> told, by_serial;
  std::vector<std::string> of_frames;
  std::vector<std::uint64_t> dumped;
  int twice = 0, late = 0;

  explicit Classes(const std::string& bytes) {
    const DumpFile file(bytes);
    HprofReader in(file.fd());
    REQUIRE(in.open());
    std::map<std::uint64_t, std::string> texts;
    bool objects_begun = false;
    while (const auto record = in.next()) {
      if (record->tag == HprofReader::kText) {
        const std::uint64_t id = in.id();
        texts[id] = in.bytes().text(in.left());
      } else if (record->tag == HprofReader::kLoadClass) {
        const std::uint64_t serial = in.bytes().integer(4);
        const std::uint64_t id = in.id();
        in.bytes().integer(4);
        by_serial[serial] = texts[in.id()];
        twice += told.emplace(id, by_serial[serial]).second ? 0 : 1;
        late += objects_begun ? 1 : 0;
      } else if (record->tag == HprofReader::kFrame) {
        in.bytes().skip(32);
        of_frames.push_back(by_serial[in.bytes().integer(4)]);
      }
      if (!record->holds_objects()) continue;
      objects_begun = true;
      while (const auto object = in.next_object()) {
        if (object->kind == HprofReader::kClass) dumped.push_back(object->id);
      }
    }
    CHECK(in.problem().empty());
  }
  bool complete() const {
    std::vector<std::uint64_t> ids = dumped;
    std::sort(ids.begin(), ids.end());
    const auto same = [](std::uint64_t id, const auto& one) { return id == one.first; };
    return twice == 0 && late == 0 &&
           std::equal(ids.begin(), ids.end(), told.begin(), told.end(), same);
  }
};

// Beside a.B a hidden class, an array's that is told of twice, and one that is not linked.
Dump awkward_dump() {
  Dump dump;
  dump.text(101, "java/lang/Object").text(102, "a/B").text(103, "[La/B;");
  dump.text(104, "a/B$$Lambda+0x0123").text(105, "a/NotLinked");
  const auto type = [&](std::uint64_t serial, std::uint64_t id, std::uint64_t name) {
    dump.record(2, Dump::body([&](Dump& d) { d.u(serial, 4).u(id, 8).u(1, 4).u(name, 8); }));
  };
  type(1, 0x1000010, 101);
  type(2, 0x1000020, 102);
  type(3, 0x1000030, 103);
  type(4, 0x1000040, 104);
  type(5, 0x1000030, 103);
  type(6, 0x1000050, 105);
  dump.record(0x1C, Dump::body([](Dump& d) {
                for (const std::uint64_t id : {0x1000010, 0x1000020, 0x1000030, 0x1000040}) {
                  d.u(0x20, 1).u(id, 8).u(1, 4).u(0, 48).u(24, 4).u(0, 6);
                }
                d.u(0x21, 1).u(0x1000500, 8).u(1, 4).u(0x1000020, 8).u(0, 4);
                d.u(1, 1).u(0x1000500, 8).u(kHandle, 8);
              }));
  return dump.record(0x2C, "");
}

TEST_CASE("each class of a dump is told of once and has its CLASS DUMP, whoever asked for stacks") {
  ReportSample names;
  auto traces = CallTree::create(16, 8);
  const Frame frames[] = {names.frame("a.B", "make", "B.java", 12),
                          names.frame("a.B$$Lambda/0x0123", "run", "", kLineUnknown),
                          names.frame("not.in.the.Dump", "run", "", kLineNative)};
  const TraceNumber trace = traces->number_of(frames);
  DumpSites sites;
  sites.stacks.traces = std::move(traces);
  sites.stacks.names = &names.names;
  CHECK(sites.objects.add(kHandle | 2, trace));
  std::string dump;
  SECTION("a dump of its own") { dump = rewritten(awkward_dump().bytes, sites); }
  SECTION("a part of a stream") {
    HprofBinary stream(0);
    ReportNames shown(&names.names);
    sites.stacks.stream = &stream;
    sites.stacks.number = [&](std::span<const Frame> stack, ReportNames& names_shown) {
      std::vector<HprofFrame> frames_shown;
      for (const Frame& frame : stack) frames_shown.push_back({frame.method, 1});
      return stream.trace(frames_shown, 0, names_shown);
    };
    sites.stacks.introduce = [&] {
      const HprofFrame later{names.frame("only.in.a.Table", "run", "", 1).method, 1};
      stream.trace(std::span(&later, 1), 0, shown);
    };
    const std::string without_header = rewritten(awkward_dump().bytes, sites);
    CHECK_FALSE(without_header.starts_with("JAVA PROFILE"));
    dump = stream.header() + without_header;
    CHECK(stream.take().empty());
    CHECK(stream.own_types().size() == 2);
  }
  const Classes classes(dump);
  CHECK(classes.complete());
  CHECK(classes.dumped.size() >= 6);
  REQUIRE(classes.of_frames.size() >= 3);
  CHECK(classes.of_frames[0] == "a/B");
  CHECK(classes.of_frames[1] == "a/B$$Lambda+0x0123");  // the VM's own
  CHECK(classes.of_frames[2] == "not/in/the/Dump");
}

TEST_CASE("a dump that is rewritten without any stack keeps all that it says") {
  ReportSample names;
  DumpSites none;
  none.stacks.names = &names.names;
  none.stacks.traces = CallTree::create(16, 8);
  const std::string once = rewritten(dump_with_roots().bytes, none);
  DumpSites again;
  again.stacks = none.stacks;
  CHECK(rewritten(once, again) == once);
  // Three segments are one, and the class of the array has its CLASS DUMP.
  CHECK(once.size() == dump_with_roots().bytes.size() - 2 * 9 + kEmptyClass);
}

TEST_CASE("a large array has a segment of its own, which says its length") {
  constexpr std::uint32_t kBytes = 3 << 20;
  Dump dump;
  dump.record(0x1C, Dump::body([](Dump& d) {
                d.u(5, 1).u(0x700, 8);
                d.u(0x23, 1).u(0x700, 8).u(1, 4).u(kBytes, 4).u(8, 1).bytes +=
                    std::string(kBytes, 'x');
                d.u(5, 1).u(0x700, 8);
              }));
  dump.record(0x2C, "");
  ReportSample names;
  DumpSites none;
  none.stacks.names = &names.names;
  none.stacks.traces = CallTree::create(16, 8);
  const DumpFile file(rewritten(dump.bytes, none));
  HprofReader in(file.fd());
  REQUIRE(in.open());
  std::vector<std::uint64_t> segments;
  while (const auto record = in.next()) {
    if (record->holds_objects()) segments.push_back(record->length);
    while (record->holds_objects() && in.next_object()) {
    }
  }
  CHECK(in.problem().empty());
  CHECK(segments == std::vector<std::uint64_t>{9, kBytes + 18, 9});
}

TEST_CASE("a damaged dump is an error and never read beyond its end") {
  const std::string whole = dump_with_roots().bytes;
  ReportSample names;
  SitesDumpResult result;
  for (std::size_t size = 0; size < whole.size() - 9; size += 7) {
    DumpSites sites = sites_of(names);
    rewritten(whole.substr(0, size), sites, &result);  // terminates
  }
  DumpSites sites = sites_of(names);
  rewritten(whole.substr(0, whole.size() - 15), sites, &result);
  CHECK_FALSE(result.problem.empty());
}

TEST_CASE("each of many handles leads to its object and no other does") {
  DumpedObjects objects;
  constexpr std::uint64_t kMany = 10'000;
  const auto handle = [](std::uint64_t i) { return 0x7000'0000'0000 + (i * 7919 % kMany) * 8; };
  const auto object = [](std::uint64_t i) { return 0x1000'0000 + i * 24; };
  for (std::uint64_t i = 0; i < kMany; ++i) {
    REQUIRE(objects.add(handle(i), static_cast<TraceNumber>(i + 2)));
  }
  objects.seal_handles();
  for (std::uint64_t i = 0; i < kMany; ++i) {
    if (i % 10 != 0) CHECK(objects.name(handle(i), object(i)));
  }
  CHECK_FALSE(objects.name(handle(1), 0x8));  // named already
  CHECK_FALSE(objects.name(0x6fff'ffff'fff8, 0x8));
  objects.seal_objects();
  CHECK(objects.size() == kMany / 10 * 9);
  for (std::uint64_t i = 0; i < kMany; ++i) {
    CHECK(objects.trace_of(object(i)) == (i % 10 != 0 ? i + 2 : kNoTrace));
  }
  CHECK(objects.trace_of(0x1000'0008) == kNoTrace);
  CHECK_FALSE(objects.add(std::uint64_t{1} << 50, 2));
}

}  // namespace ddm
