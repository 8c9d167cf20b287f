#include "graph/heap_graph.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <memory>

#include "../native/sanitizers.h"
#include "../report/dump_sample.h"
#include "graph/object_choice.h"
#include "graph/retained_sizes.h"
#include "graph/root_paths.h"
#include "report/hprof/hprof_numbers.h"

namespace ddm {
namespace {

// a.Node { a.Node left; a.Node right; } at 0x100, with a static field `top`; java.lang.ref.Reference
// { referent } at 0x200 and a.Weak below it at 0x300; java.lang.Thread { contextClassLoader } at
// 0x400. Nodes are told by their addresses.
struct Read {
  std::unique_ptr<DumpFile> file;  // names are read from it when they are asked for
  HeapGraph graph;
};

class Graph {
 public:
  Graph& node(std::uint64_t id, std::uint64_t left, std::uint64_t right = 0) {
    objects_ += Dump::body([&](Dump& d) {
      d.u(0x21, 1).u(id, 8).u(1, 4).u(0x100, 8).u(16, 4).u(left, 8).u(right, 8);
    });
    return *this;
  }
  Graph& weak(std::uint64_t id, std::uint64_t referent) {
    objects_ += Dump::body(
        [&](Dump& d) { d.u(0x21, 1).u(id, 8).u(1, 4).u(0x300, 8).u(8, 4).u(referent, 8); });
    return *this;
  }
  Graph& thread(std::uint64_t id, std::uint64_t context_loader) {
    objects_ += Dump::body(
        [&](Dump& d) { d.u(0x21, 1).u(id, 8).u(1, 4).u(0x400, 8).u(8, 4).u(context_loader, 8); });
    return *this;
  }
  Graph& local(std::uint64_t id, std::uint32_t thread = 1) {
    objects_ += Dump::body([&](Dump& d) { d.u(0x03, 1).u(id, 8).u(thread, 4).u(0, 4); });
    return *this;
  }
  Graph& root(std::uint64_t id) {
    objects_ += Dump::body([&](Dump& d) { d.u(0x05, 1).u(id, 8); });
    return *this;
  }
  Graph& top(std::uint64_t id) {
    top_ = id;
    return *this;
  }

  Read read() const {
    Dump dump;
    dump.text(1, "a/Node").text(2, "left").text(3, "right").text(4, "top");
    dump.text(5, "java/lang/ref/Reference").text(6, "referent").text(7, "a/Weak");
    dump.text(8, "java/lang/Thread").text(9, "contextClassLoader");
    dump.type(0x100, 1).type(0x200, 5).type(0x300, 7).type(0x400, 8);
    const auto classes = Dump::body([&](Dump& d) {
      const auto begin = [&](std::uint64_t id, std::uint64_t super) {
        d.u(0x20, 1).u(id, 8).u(1, 4).u(super, 8).u(0, 8).u(0, 8).u(0, 8).u(0, 8).u(0, 8).u(0, 4);
        d.u(0, 2);
      };
      begin(0x100, 0);
      d.u(1, 2).u(4, 8).u(2, 1).u(top_, 8).u(2, 2).u(2, 8).u(2, 1).u(3, 8).u(2, 1);
      begin(0x200, 0);
      d.u(0, 2).u(1, 2).u(6, 8).u(2, 1);
      begin(0x300, 0x200);
      d.u(0, 2).u(0, 2);
      begin(0x400, 0);
      d.u(0, 2).u(1, 2).u(9, 8).u(2, 1);
    });
    dump.record(0x1C, classes + objects_).record(0x2C, "");
    auto file = std::make_unique<DumpFile>(dump.bytes);
    auto graph = HeapGraph::read(file->fd(), [](std::uint64_t) {});
    REQUIRE(graph);
    return {std::move(file), std::move(*graph)};
  }

 private:
  std::string objects_;
  std::uint64_t top_ = 0;
};

std::vector<ObjectNumber> of_class(const HeapGraph& graph, const char* name) {
  const auto choice = choose_class(graph, name);
  REQUIRE(choice);
  return choice->objects;
}

// 0 under a sanitizer, which keeps what was freed for a while.
std::size_t resident_bytes() {
#ifdef DDM_OWN_MALLOC
  return 0;
#else
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#endif
}

}  // namespace

TEST_CASE("an object's references have names and lead where the dump says") {
  Read read = Graph().node(0x500, 0x510).node(0x510, 0, 0x500).root(0x500).read();
  HeapGraph& graph = read.graph;
  const auto nodes = of_class(graph, "Node");
  REQUIRE(nodes.size() == 2);
  CHECK(graph.reference(nodes[0], 0) == nodes[1]);
  CHECK(graph.reference(nodes[0], 1) == HeapGraph::kNone);
  CHECK(graph.reference(nodes[1], 1) == nodes[0]);
  CHECK(graph.reference_name(nodes[1], 1) == "a.Node.right");
  CHECK(graph.reference_name(nodes[1], 2) == "a.Node.<class>");
}

TEST_CASE("a dump that has fewer objects when it is read again has changed") {
  // Progress is told where 16 MiB have been read.
  const std::string much(std::size_t{17} << 20, 'x');
  const auto array = [](std::uint64_t id) {
    return Dump::body([&](Dump& d) { d.u(0x23, 1).u(id, 8).u(1, 4).u(1, 4).u(8, 1).u(7, 1); });
  };
  Dump dump;
  dump.record(0x1C, array(0x500)).text(1, much);
  const auto second = static_cast<off_t>(dump.bytes.size());
  dump.record(0x1C, array(0x510)).text(2, much).record(0x2C, "");
  const DumpFile file(dump.bytes);
  const auto whole = HeapGraph::read(file.fd(), [](std::uint64_t) {});
  REQUIRE(whole);
  CHECK(whole->size() == 2);
  int calls = 0;
  const auto changed = HeapGraph::read(file.fd(), [&](std::uint64_t) {
    if (++calls == 2) CHECK(pwrite(file.fd(), "\x01", 1, second) == 1);  // no segment any more
  });
  CHECK(changed.message() == "it has changed while it was read");
}

TEST_CASE("of two sites on one line each has its own objects") {
  HprofNumbers numbers;
  Dump dump;
  dump.text(1, "a/B").text(2, "make").text(3, "()V").type(0x100, 1);
  for (const int bci : {3, 9}) {
    const std::uint64_t frame = numbers.frame({1, 12, bci}).value;
    dump.record(
        4, Dump::body([&](Dump& d) { d.u(frame, 8).u(2, 8).u(3, 8).u(0, 8).u(1, 4).u(12, 4); }));
    dump.record(5, Dump::body([&](Dump& d) {
                  d.u(static_cast<std::uint64_t>(bci), 4).u(0, 4).u(1, 4).u(frame, 8);
                }));
  }
  dump.record(0x1C, Dump::body([](Dump& d) {
                d.u(0x20, 1).u(0x100, 8).u(1, 4).u(0, 48).u(16, 4).u(0, 6);
                for (const int bci : {9, 3, 9}) {
                  d.u(0x21, 1).u(0x500 + d.bytes.size(), 8).u(static_cast<std::uint64_t>(bci), 4);
                  d.u(0x100, 8).u(0, 4);
                }
              }));
  dump.record(0x2C, "");
  const DumpFile file(dump.bytes);
  auto graph = HeapGraph::read(file.fd(), [](std::uint64_t) {});
  REQUIRE(graph);
  SiteObjects sites(*graph);
  const auto count_at = [&](int bci) {
    return sites
        .of("a.B",
            parsed_json(fmt::format(
                R"([{{"class":"a.B","method":"make","signature":"()V","line":12,"bci":{}}}])",
                bci)))
        .size();
  };
  CHECK(count_at(3) == 1);
  CHECK(count_at(9) == 2);
  CHECK(count_at(4) == 0);
}

TEST_CASE("a dump whose addresses are in no order is read as well") {
  Read read = Graph().node(0x900, 0x500).node(0x500, 0x700).node(0x700, 0).root(0x900).read();
  HeapGraph& graph = read.graph;
  const auto nodes = of_class(graph, "a.Node");
  CHECK(graph.reference(nodes[0], 0) == nodes[1]);
  CHECK(graph.reference(nodes[1], 0) == nodes[2]);
}

TEST_CASE("the way to an object is the shortest, and begins at a static field where it has one") {
  Read read = Graph()
                  .top(0x500)
                  .root(0x100)
                  .node(0x500, 0x510)
                  .node(0x510, 0x520)
                  .node(0x520, 0x530)
                  .node(0x530, 0)
                  .root(0x900)
                  .node(0x900, 0, 0x530)
                  .read();
  HeapGraph& graph = read.graph;
  RootPaths paths(graph);
  const auto nodes = of_class(graph, "a.Node");
  const auto found = paths.of(nodes);
  REQUIRE(found.size() == 4);
  // Two `left` in a row are one step.
  CHECK(found[0].root == "static a.Node.top");
  CHECK(found[0].count == 2);
  CHECK(found[0].via == std::vector<std::string>{"a.Node.left"});
  const std::vector<ObjectNumber> last{nodes[3]};
  const auto to_last = paths.of(last);
  REQUIRE(to_last.size() == 1);
  CHECK(to_last[0].root == "class a.Node");
  CHECK(to_last[0].via == std::vector<std::string>{"a.Node.right"});
}

TEST_CASE("a thread's context loader holds what nothing else does") {
  // Of two threads' loaders, 510 also has an owner, and 520 is in a variable; 530 has the third alone.
  Read read = Graph()
                  .root(0x700)
                  .root(0x710)
                  .root(0x720)
                  .thread(0x700, 0x510)
                  .thread(0x710, 0x520)
                  .thread(0x720, 0x530)
                  .top(0x500)
                  .root(0x100)
                  .node(0x500, 0x501)
                  .node(0x501, 0, 0x510)
                  .node(0x510, 0)
                  .local(0x520)
                  .node(0x520, 0)
                  .node(0x530, 0x540)
                  .node(0x540, 0)
                  .read();
  HeapGraph& graph = read.graph;
  RootPaths paths(graph);
  const auto nodes = of_class(graph, "a.Node");
  REQUIRE(nodes.size() == 6);
  const auto path_of = [&](std::size_t node) {
    const auto found = paths.of(std::vector<ObjectNumber>{nodes[node]});
    REQUIRE(found.size() == 1);
    return found[0];
  };
  CHECK(path_of(2).root == "static a.Node.top");
  CHECK(path_of(2).via == std::vector<std::string>{"a.Node.left"});
  CHECK(path_of(3).kind == "local");
  CHECK(path_of(5).via ==
        std::vector<std::string>{"java.lang.Thread.contextClassLoader", "a.Node.left"});
  CHECK_FALSE(path_of(5).weak);
  CHECK(paths.strongly_held(nodes[5]));
}

TEST_CASE("a chain whose links take turns is a few rounds, however long") {
  constexpr std::uint64_t kNodes = 20'000, kFirst = 0x1000, kEach = 0x10;
  Graph made;
  made.root(kFirst);
  for (std::uint64_t i = 0; i < kNodes; ++i) {
    const std::uint64_t next = i + 1 < kNodes ? kFirst + (i + 1) * kEach : 0;
    if (i % 2 == 0) {
      made.node(kFirst + i * kEach, next);
    } else {
      made.thread(kFirst + i * kEach, next);
    }
  }
  Read read = made.read();
  const std::size_t before = resident_bytes();
  const auto found = RootPaths(read.graph).of(of_class(read.graph, "a.Node"));
  CHECK(resident_bytes() < before + (std::size_t{64} << 20));
  std::int64_t count = 0;
  std::size_t longest = 0;
  for (const RootPath& path : found) {
    count += path.count;
    longest = std::max(longest, path.via.size());
  }
  CHECK(count == kNodes / 2);
  CHECK(longest == 6);
  // Nested structures are told apart.
  CHECK(found.size() == 4);
}

TEST_CASE("the objects of a tree are one step below its root, whichever branches lead to them") {
  Graph made;
  made.root(0x700).thread(0x700, 0x1010);
  constexpr std::uint64_t kNodes = 1023;
  const auto id = [](std::uint64_t n) { return n <= kNodes ? 0x1000 + n * 0x10 : 0; };
  for (std::uint64_t n = 1; n <= kNodes; ++n) made.node(id(n), id(2 * n), id(2 * n + 1));
  Read read = made.read();
  const auto found = RootPaths(read.graph).of(of_class(read.graph, "a.Node"));
  REQUIRE(found.size() == 3);
  const std::string root = "java.lang.Thread.contextClassLoader";
  CHECK(found[0].via == std::vector<std::string>{root, "a.Node.left"});
  CHECK(found[1].via == std::vector<std::string>{root, "a.Node.right"});
  CHECK(found[2].via == std::vector<std::string>{root});
  CHECK((found[0].count == 511 && found[1].count == 511 && found[2].count == 1));
}

TEST_CASE("what the links of a list hold is one path, whichever of them holds it") {
  Graph made;
  made.top(0x1000).root(0x100);
  for (std::uint64_t n = 0; n < 100; ++n) {
    made.node(0x1000 + n * 0x10, n < 99 ? 0x1010 + n * 0x10 : 0, 0x9000 + n * 0x10);
    made.thread(0x9000 + n * 0x10, 0);
  }
  Read read = made.read();
  RootPaths paths(read.graph);
  const auto of_values = paths.of(of_class(read.graph, "java.lang.Thread"));
  REQUIRE(of_values.size() == 1);
  CHECK(of_values[0].root == "static a.Node.top");
  CHECK(of_values[0].via == std::vector<std::string>{"a.Node.right"});
  CHECK(of_values[0].count == 100);
  // The links themselves are told apart from the first.
  CHECK(paths.of(of_class(read.graph, "a.Node")).size() == 2);
}

TEST_CASE("what threads without names hold by equal paths has one root, which counts the threads") {
  Graph made;
  for (std::uint32_t n = 1; n <= 3; ++n) made.node(0x500 + n * 0x10, 0).local(0x500 + n * 0x10, n);
  made.node(0x600, 0x610).node(0x610, 0).local(0x600, 4);
  Read read = made.read();
  const auto found = RootPaths(read.graph).of(of_class(read.graph, "a.Node"));
  REQUIRE(found.size() == 2);
  CHECK(found[0].root == "local variable, 4 threads");
  CHECK((found[0].count == 4 && found[0].via.empty()));
  CHECK(found[1].root == "local variable, a thread");
  CHECK(found[1].via == std::vector<std::string>{"a.Node.left"});
  CHECK(found[0].like == found[1].like);
}

TEST_CASE("what references of java.lang.ref hold alone is told apart, and retained by nothing") {
  Read read = Graph()
                  .root(0x500)
                  .weak(0x500, 0x600)
                  .node(0x600, 0x610)
                  .node(0x610, 0)
                  .node(0x620, 0)
                  .read();
  HeapGraph& graph = read.graph;
  RootPaths paths(graph);
  const auto nodes = of_class(graph, "a.Node");
  const auto found = paths.of(nodes);
  REQUIRE(found.size() == 2);  // the third one is held by nothing
  CHECK(found[0].weak);
  CHECK(found[0].via.front() == "a.Weak.referent");
  CHECK(RetainedSizes(graph).bytes(nodes[0]) == 0);
}

TEST_CASE("an object retains what is reached through it alone") {
  // 500 -> 510 and 520, both -> 530 -> 540; 530 is held by neither alone.
  Read read = Graph()
                  .root(0x500)
                  .node(0x500, 0x510, 0x520)
                  .node(0x510, 0x530)
                  .node(0x520, 0x530)
                  .node(0x530, 0x540)
                  .node(0x540, 0)
                  .read();
  HeapGraph& graph = read.graph;
  const auto nodes = of_class(graph, "a.Node");
  const RetainedSizes retained(graph);
  const std::uint64_t one = graph.bytes_of(nodes[0]);
  REQUIRE(one > 0);
  const std::uint64_t expected[] = {5, 1, 1, 2, 1};
  for (std::size_t i = 0; i < nodes.size(); ++i)
    CHECK(retained.bytes(nodes[i]) == expected[i] * one);
  // As one group they are counted once; 510 and 520 as one hold what both refer to only together.
  std::vector<std::uint32_t> group(graph.size(), 2);
  for (const ObjectNumber node : nodes) group[node] = 0;
  group[nodes[1]] = group[nodes[2]] = 1;
  const auto by_group = retained.by_group(group, 3);
  CHECK(by_group[0] == 5 * one);
  CHECK(by_group[1] == 2 * one);
  const std::vector<ObjectNumber> both{nodes[1], nodes[2]};
  CHECK(RootPaths(graph).retained_by(both) == 4 * one);
}

TEST_CASE("dominators are those of the definition in graphs of all shapes") {
  std::uint32_t state = 1;
  const auto next = [&](std::uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t count = 2 + next(12);
    Graph made;
    made.root(0x500);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto to = [&] { return next(3) == 0 ? 0 : 0x500 + 0x10 * next(count); };
      made.node(0x500 + 0x10 * i, to(), to());
    }
    Read read = made.read();
    HeapGraph& graph = read.graph;
    const auto nodes = of_class(graph, "a.Node");
    const RetainedSizes retained(graph);
    RootPaths paths(graph);
    for (const ObjectNumber node : nodes) {
      if (!paths.strongly_held(node)) continue;
      CHECK(retained.bytes(node) == paths.retained_by(std::vector<ObjectNumber>{node}));
    }
  }
}

TEST_CASE("classes that are above each other take memory as their instances do") {
  constexpr int kFields = 10'000, kCircle = 3;
  Dump dump;
  dump.text(1, "a/Circle").text(2, "next");
  const auto objects = Dump::body([&](Dump& d) {
    for (std::uint64_t id = 0; id < kCircle; ++id) {
      dump.type(0x100 + id, 1);
      const std::uint64_t super = 0x100 + (id + 1) % kCircle;
      d.u(0x20, 1).u(0x100 + id, 8).u(1, 4).u(super, 8).u(0, 40).u(8, 4).u(0, 4);
      d.u(kFields, 2);
      for (int i = 0; i < kFields; ++i) d.u(2, 8).u(2, 1);
      d.u(0x21, 1).u(0x500 + 16 * id, 8).u(1, 4).u(0x100 + id, 8).u(8, 4).u(0x500, 8);
    }
  });
  dump.record(0x1C, objects).record(0x2C, "");
  const DumpFile file(dump.bytes);
  const std::size_t before = resident_bytes();
  const auto graph = HeapGraph::read(file.fd(), [](std::uint64_t) {});
  const std::size_t after = resident_bytes();
  REQUIRE(graph);
  CHECK(after < before + (std::size_t{64} << 20));
  const auto found = graph->objects_of("a.Circle");
  REQUIRE(found.size() == kCircle);
  CHECK(graph->references(found[1]) == 2);
  CHECK(graph->reference(found[1], 0) == found[0]);
  CHECK(graph->reference_name(found[1], 0) == "a.Circle.next");
}

TEST_CASE("references of an instance that is longer than another of its class have names, too") {
  Dump dump;
  dump.text(1, "a/Pair").text(2, "left").text(3, "right").type(0x100, 1);
  dump.record(0x1C, Dump::body([](Dump& d) {
                d.u(0x21, 1).u(0x500, 8).u(1, 4).u(0x100, 8).u(8, 4).u(0x510, 8);
                d.u(0x21, 1).u(0x510, 8).u(1, 4).u(0x100, 8).u(16, 4).u(0, 8).u(0x500, 8);
                d.u(0x21, 1).u(0x530, 8).u(1, 4).u(0x100, 8).u(8, 4).u(0x510, 8);
                d.u(0x20, 1).u(0x100, 8).u(1, 4).u(0, 48).u(16, 4).u(0, 4);
                d.u(2, 2).u(2, 8).u(2, 1).u(3, 8).u(2, 1);
              }));
  dump.record(0x2C, "");
  const DumpFile file(dump.bytes);
  const auto graph = HeapGraph::read(file.fd(), [](std::uint64_t) {});
  REQUIRE(graph);
  const auto found = graph->objects_of("a.Pair");
  REQUIRE(found.size() == 3);
  CHECK(graph->reference(found[1], 1) == found[0]);
  CHECK(graph->reference_name(found[1], 1) == "a.Pair.right");
}

}  // namespace ddm
