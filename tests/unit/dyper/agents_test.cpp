// The accounts, fed with looks whose sums are known.
#include <catch2/catch.hpp>

#include "adapters/dyper/documents/cpu_agent.h"
#include "adapters/dyper/documents/io_agent.h"
#include "adapters/dyper/documents/threads_agent.h"
#include "adapters/dyper/documents/timing_agent.h"
#include "adapters/dyper/documents/xml_reader.h"

namespace ddm {
namespace {

SeenThread thread(std::int64_t id, ThreadActivity activity, std::vector<SeenFrame> frames) {
  SeenThread one;
  one.id = id;
  one.name = "t" + std::to_string(id);
  one.activity = activity;
  one.frames = std::move(frames);
  return one;
}

constexpr SeenFrame kHash{"java.util.HashMap", "get", "", 5};
constexpr SeenFrame kBusy{"shop.Work", "busy", "", 7};
constexpr SeenFrame kRun{"shop.Work", "run", "", 9};
constexpr SeenFrame kThread{"java.lang.Thread", "run", "", 1};
constexpr SeenFrame kRead{"sun.nio.ch.Net", "poll", "", -2};
constexpr SeenFrame kStream{"java.net.Socket$Input", "read", "", 3};

struct Bench {
  DyperVariables variables;
  ClassTypes types;
  ReportMoment moment;

  template <typename Agent>
  void snapshot(Agent& agent, std::vector<SeenThread> threads, int times = 1) {
    for (int i = 0; i < times; ++i) {
      ThreadSnapshot snapshot;
      snapshot.ms = ++now_ms;
      snapshot.threads = threads;
      agent.check(snapshot, 1000, types, variables);
    }
  }
  template <typename Agent>
  std::unique_ptr<pugi::xml_document> report(Agent& agent) {
    XmlWriter xml;
    agent.report(moment, variables, xml);
    auto read = read_xml(xml.take());
    REQUIRE(read);
    return std::move(*read);
  }
  std::int64_t now_ms = 1000;
};

std::int64_t figure(pugi::xml_node node, const char* name) {
  return node.attribute(name).as_llong(-1);
}

pugi::xml_node item(pugi::xml_node parent, const char* name) {
  return parent.find_child_by_attribute("ITEM", "NAME", name);
}

}  // namespace

TEST_CASE("CPU charges the first frame of the program's and counts those behind it") {
  Bench bench;
  CpuAgent cpu;
  bench.snapshot(cpu,
                 {thread(1, ThreadActivity::kRunnable, {kHash, kBusy, kThread, kRun, kThread}),
                  thread(2, ThreadActivity::kBlocked, {kBusy}),
                  thread(3, ThreadActivity::kRunnable, {kRead, kBusy}),
                  thread(4, ThreadActivity::kRunnable, {kHash, kThread})},
                 3);
  auto document = bench.report(cpu);
  const pugi::xml_node counters = document->document_element();
  CHECK(figure(counters, "SAMPLES") == 3);
  CHECK(figure(counters, "ACTIVE") == 3);
  CHECK(figure(counters, "MONTIME") == 3);
  const pugi::xml_node totals = counters.child("TOTALS");
  CHECK(figure(totals, "CLASS") == 12);  // busy, Thread.run, run, Thread.run
  CHECK(figure(totals, "CBASE") == 3);
  CHECK(figure(totals, "LINE") == 12);
  CHECK(figure(item(counters, "shop.Work"), "TOTAL") == 6);
  CHECK(figure(item(counters, "shop.Work"), "BASE") == 3);
  CHECK(figure(item(counters, "shop.Work@busy@7"), "BASE") == 3);
  CHECK(figure(item(counters, "shop.Work@run"), "BASE") == 0);
  CHECK(figure(item(counters, "shop.Work@run"), "TOTAL") == 3);
  CHECK_FALSE(item(counters, "java.util.HashMap"));
  auto again = bench.report(cpu);
  CHECK_FALSE(again->document_element().child("ITEM"));
  bench.snapshot(cpu, {thread(1, ThreadActivity::kRunnable, {kRun})});
  auto more = bench.report(cpu);
  CHECK(item(more->document_element(), "shop.Work@run"));
  CHECK_FALSE(item(more->document_element(), "shop.Work@busy"));
}

TEST_CASE("methods are counted from the hit on that makes their class worth it, lines likewise") {
  Bench bench;
  bench.variables.detail_all = false;
  CpuAgent cpu;
  bench.snapshot(cpu, {thread(1, ThreadActivity::kRunnable, {kBusy})}, 1000);
  auto document = bench.report(cpu);
  const pugi::xml_node totals = document->document_element().child("TOTALS");
  CHECK(figure(totals, "CLASS") == 1000);
  CHECK(figure(totals, "METHOD") == 1000 - 249);
  CHECK(figure(totals, "LINE") == 1000 - 2 * 249);
  const pugi::xml_node work = item(document->document_element(), "shop.Work");
  CHECK(std::string(work.attribute("DETAILED").value()) == "true");
  CHECK(figure(work, "DTOTAL") == 250);
}

TEST_CASE("detail ends below the lower threshold, and SETDETAIL overrules both") {
  Bench bench;
  bench.variables.detail_all = false;
  CpuAgent cpu;
  const auto detailed = [&](const SeenFrame& frame) {
    bench.snapshot(cpu, {thread(1, ThreadActivity::kRunnable, {frame})});
    auto document = bench.report(cpu);
    const pugi::xml_node found =
        item(document->document_element(), std::string(frame.class_name).c_str());
    return std::string(found.attribute("DETAILED").value()) == "true";
  };
  const SeenFrame other{"shop.Other", "go", "", 1};
  bench.snapshot(cpu, {thread(1, ThreadActivity::kRunnable, {kBusy})}, 300);
  CHECK(detailed(kBusy));
  bench.snapshot(cpu, {thread(1, ThreadActivity::kRunnable, {other})}, 100'000);
  CHECK_FALSE(detailed(kBusy));
  cpu.set_detail("shop.Work", true);
  CHECK(detailed(kBusy));
  cpu.clear();
  CHECK(detailed(kBusy));  // what was decided stays
  cpu.set_detail("shop.Work", false);
  bench.snapshot(cpu, {thread(1, ThreadActivity::kRunnable, {kBusy})}, 400);
  CHECK_FALSE(detailed(kBusy));
}

TEST_CASE("counters of patched code are in the element of the others") {
  Bench bench;
  bench.moment.counted = "<RTITEM COUNTER='6' COUNT='2' />";
  CpuAgent cpu;
  auto document = bench.report(cpu);
  CHECK(figure(document->document_element().child("RTITEM"), "COUNT") == 2);
}

TEST_CASE("THREADS tells what each was found doing and who held its lock") {
  Bench bench;
  ThreadsAgent threads;
  auto blocked = thread(2, ThreadActivity::kBlocked, {kBusy, kThread});
  blocked.lock_owner = 1;
  blocked.lock_owner_name = "t1";
  bench.snapshot(threads,
                 {thread(1, ThreadActivity::kRunnable, {kBusy}), blocked,
                  thread(3, ThreadActivity::kWaiting, {kBusy})},
                 2);
  bench.snapshot(threads, {thread(1, ThreadActivity::kSleeping, {kBusy}),
                           thread(2, ThreadActivity::kRunnable, {kRead, kRun})});
  bench.moment.threads.push_back({1, "t1", 0, 0, 3, 4, -1, -1});
  auto document = bench.report(threads);
  const pugi::xml_node root = document->document_element();
  const auto of = [&](const char* id) { return root.find_child_by_attribute("THREAD", "ID", id); };
  CHECK(figure(of("1"), "RUNS") == 2);
  CHECK(figure(of("1"), "SLEEPS") == 1);
  CHECK(figure(of("1"), "TOTBLKS") == 3);
  CHECK(figure(of("2"), "BLOCKS") == 2);
  CHECK(figure(of("2"), "IOS") == 1);
  CHECK(figure(of("2"), "TOTAL") == 3);
  CHECK(figure(of("2").child("LOCKON"), "COUNT") == 2);
  CHECK(std::string(of("2").attribute("TERMINATED").value()) == "true");
  CHECK_FALSE(of("3"));  // never seen running or blocked
  CHECK(root.child("THREADDATA"));
  auto again = bench.report(threads);
  CHECK_FALSE(again->document_element().child("THREADDATA"));
  CHECK_FALSE(again->document_element().find_child_by_attribute("THREAD", "ID", "2"));
}

TEST_CASE("THREADS drops ended threads that nobody asks for, and bounds the holders of locks") {
  Bench bench;
  ThreadsAgent threads;
  constexpr auto kMost = static_cast<std::int64_t>(ThreadsAgent::kMostItems);
  auto stays = thread(0, ThreadActivity::kBlocked, {kBusy});
  for (std::int64_t id = 1; id <= kMost + 1; ++id) {
    stays.lock_owner = id;
    bench.snapshot(threads, {stays, thread(id, ThreadActivity::kRunnable, {kBusy})});
  }
  XmlWriter xml;
  threads.report(bench.moment, bench.variables, xml);
  pugi::xml_document document;  // longer than what DYPER reads
  REQUIRE(document.load_string(xml.take().c_str()));
  const pugi::xml_node root = document.document_element();
  const auto count = [](pugi::xml_node parent, const char* name) {
    const auto children = parent.children(name);
    return std::distance(children.begin(), children.end());
  };
  CHECK(count(root, "THREAD") <= kMost);
  const pugi::xml_node kept = root.find_child_by_attribute("THREAD", "ID", "0");
  CHECK(figure(kept, "BLOCKS") == kMost + 1);
  CHECK(count(kept, "LOCKON") == ThreadsAgent::kMostHolders);
}

TEST_CASE("a sleeping or running thread waits for no lock") {
  for (const auto one : {ThreadActivity::kBlocked, ThreadActivity::kWaiting}) {
    CHECK(waits_for_lock(one));
  }
  for (const auto one : {ThreadActivity::kSleeping, ThreadActivity::kRunnable}) {
    CHECK_FALSE(waits_for_lock(one));
  }
}

TEST_CASE(
    "THREADS tells how long each has blocked and waited since that was timed, and how long ago") {
  Bench bench;
  ThreadsAgent threads;
  const auto running = [](std::int64_t id, std::int64_t blocked_ms, std::int64_t waited_ms) {
    SeenThread one = thread(id, ThreadActivity::kRunnable, {kBusy});
    one.facts = ThreadFacts{id, one.name, 0, 0, 3, 4, blocked_ms, waited_ms};
    return one;
  };
  const auto times_of = [&](const char* id) {
    auto document = bench.report(threads);
    const pugi::xml_node of =
        document->document_element().find_child_by_attribute("THREAD", "ID", id);
    return std::vector{figure(of, "BTIME"), figure(of, "WTIME"), figure(of, "CTIME")};
  };
  using Times = std::vector<std::int64_t>;
  const Times none(3, -1);
  bench.moment.threads = {{1, "t1", 0, 0, 3, 4, 5, 6}, {2, "t2", 0, 0, 3, 4, 7, 9}};
  bench.snapshot(threads, {running(1, 5, 6)});
  CHECK(times_of("1") == none);
  CHECK_FALSE(threads.needs_facts(running(1, 5, 6), bench.variables));
  bench.variables.contention = true;
  CHECK(threads.needs_facts(running(1, 5, 6), bench.variables));
  CHECK_FALSE(threads.needs_facts(thread(3, ThreadActivity::kWaiting, {}), bench.variables));
  bench.snapshot(threads, {running(1, 1, 2)});
  CHECK_FALSE(threads.needs_facts(running(1, 5, 6), bench.variables));
  bench.snapshot(threads, {running(1, 3, 4), running(2, 7, 1)}, 2);  // the first of them begins 2
  bench.moment.now_ms = bench.now_ms + 10;
  CHECK(times_of("1") == Times{4, 4, 12});
  CHECK(times_of("2") == Times{0, 8, 11});
  threads.clear();
  bench.snapshot(threads, {running(1, 4, 4)});
  bench.moment.now_ms = bench.now_ms + 3;
  CHECK(times_of("1") == Times{1, 2, 3});
  threads.contention_timing_begins();
  CHECK(times_of("1") == none);
  bench.snapshot(threads, {running(1, 5, 90)});
  CHECK(times_of("1") == Times{0, 0, 2});  // the VM's sums began anew
  bench.moment.threads = {{1, "t1", 0, 0, 3, 4, -1, -1}};
  CHECK(times_of("1") == none);
}

TEST_CASE("THREADS and TIMING keep a thread that USETHREAD excludes, and do not take it for dead") {
  Bench bench;
  ThreadsAgent threads;
  TimingAgent timing;
  const auto sample = [&](std::vector<SeenThread> seen, std::unordered_set<std::int64_t> excluded) {
    ThreadSnapshot snapshot;
    snapshot.ms = ++bench.now_ms;
    snapshot.threads = std::move(seen);
    snapshot.excluded = std::move(excluded);
    threads.check(snapshot, 1000, bench.types, bench.variables);
    timing.check(snapshot, 1000, bench.types, bench.variables);
  };
  const auto running = [](std::int64_t id) {
    return thread(id, ThreadActivity::kRunnable, {kBusy});
  };
  const auto of = [](const auto& document, const char* id) {
    return document->document_element().find_child_by_attribute("THREAD", "ID", id);
  };
  sample({running(1), running(2)}, {3});
  sample({running(2)}, {1, 3});
  bench.moment.threads = {{1, "t1"}, {2, "t2"}, {3, "t3"}};
  bench.moment.threads[0].wanted = bench.moment.threads[2].wanted = false;
  auto told = bench.report(threads), timed = bench.report(timing);
  CHECK(of(told, "2"));
  CHECK(of(timed, "2"));
  CHECK_FALSE(of(told, "1"));
  CHECK_FALSE(of(timed, "1"));
  CHECK(figure(timed->document_element(), "TOTAL") == 2);
  CHECK(figure(timed->document_element(), "ACTIVE") == 1);
  CHECK(figure(timed->document_element(), "DIED") == 0);
  for (ThreadFacts& facts : bench.moment.threads) facts.wanted = true;
  CHECK_FALSE(of(bench.report(timing), "3"));
  sample({running(1), running(2), running(3)}, {});
  told = bench.report(threads), timed = bench.report(timing);
  CHECK(figure(of(told, "1"), "TOTAL") == 2);
  CHECK(figure(of(told, "1"), "START") == figure(of(told, "2"), "START"));
  CHECK(figure(of(timed, "1"), "START") == figure(of(timed, "2"), "START"));
  CHECK(figure(of(timed, "3"), "START") == bench.now_ms);
  CHECK(figure(timed->document_element(), "TOTAL") == 3);
  CHECK(figure(timed->document_element(), "CREATED") == 0);
  sample({running(2), running(3)}, {1});
  sample({running(2), running(3)}, {});  // it has ended
  bench.moment.threads.erase(bench.moment.threads.begin());
  told = bench.report(threads), timed = bench.report(timing);
  CHECK(std::string(of(told, "1").attribute("TERMINATED").value()) == "true");
  CHECK(figure(timed->document_element(), "DIED") == 1);
  CHECK_FALSE(of(bench.report(threads), "1"));
}

TEST_CASE("TIMING follows threads that come and go, and their CPU since their first sample") {
  Bench bench;
  TimingAgent timing;
  auto first = thread(1, ThreadActivity::kRunnable, {});
  CHECK(timing.needs_facts(first, bench.variables));
  first.facts = ThreadFacts{1, "t1", 10, 9};
  bench.snapshot(timing, {first, thread(2, ThreadActivity::kRunnable, {})});
  CHECK_FALSE(timing.needs_facts(first, bench.variables));
  bench.snapshot(
      timing, {thread(1, ThreadActivity::kRunnable, {}), thread(3, ThreadActivity::kRunnable, {}),
               thread(4, ThreadActivity::kRunnable, {})});
  bench.moment.threads.push_back({1, "t1", 12.5, 10});
  bench.moment.now_ms = bench.now_ms + 5;
  auto document = bench.report(timing);
  const pugi::xml_node root = document->document_element();
  CHECK(root.attribute("NLIVE").as_double() == 5);
  CHECK(root.attribute("NLIVE2").as_double() == 13);
  CHECK(figure(root, "TOTAL") == 4);
  CHECK(figure(root, "CREATED") == 2);
  CHECK(figure(root, "DIED") == 1);
  CHECK(figure(root, "ACTIVE") == 3);
  CHECK(root.child("THREAD").attribute("CPU").as_double() == 2.5);
  CHECK(root.child("THREAD").attribute("USER").as_double() == 1);
  CHECK(root.child("THREAD").attribute("CLOCK").as_double() == 6);
  timing.clear();
  first.facts->cpu_ms = 12;
  bench.snapshot(timing, {first});
  auto cleared = bench.report(timing);
  CHECK(cleared->document_element().child("THREAD").attribute("CPU").as_double() == 0.5);
}

TEST_CASE("IO names what the program has called, and where from") {
  Bench bench;
  IoAgent io;
  bench.snapshot(io,
                 {thread(1, ThreadActivity::kRunnable, {kRead, kStream, kRun}),
                  thread(2, ThreadActivity::kRunnable, {kBusy})},
                 2);
  auto document = bench.report(io);
  const pugi::xml_node found = item(document->document_element(), "java.net.Socket$Input@read");
  CHECK(figure(found, "COUNT") == 2);
  CHECK(std::string(found.child("SOURCE").attribute("NAME").value()) == "shop.Work@run@9");
  CHECK(figure(document->document_element(), "ACTIVE") == 2);
}

TEST_CASE("IO lists a bounded number of threads, and goes on to count those") {
  Bench bench;
  IoAgent io;
  const auto reads = [](std::int64_t id) {
    return thread(id, ThreadActivity::kRunnable, {kRead, kStream, kRun});
  };
  constexpr auto kMost = static_cast<std::int64_t>(IoAgent::kMostItems);
  std::vector<SeenThread> all;
  for (std::int64_t id = 0; id <= kMost; ++id) all.push_back(reads(id));
  bench.snapshot(io, all);
  bench.snapshot(io, {reads(0)});
  auto document = bench.report(io);
  const pugi::xml_node found = item(document->document_element(), "java.net.Socket$Input@read");
  CHECK(figure(found, "COUNT") == kMost + 2);
  const auto listed = found.children("THREAD");
  CHECK(std::distance(listed.begin(), listed.end()) == kMost);
  CHECK(figure(found.child("THREAD"), "COUNT") == 2);
}

}  // namespace ddm
