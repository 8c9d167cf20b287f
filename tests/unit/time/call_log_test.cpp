#include "time/calls/call_log.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "core/tick_clock.h"
#include "time/calls/method_sums.h"

using ddm::CallEvent;
using ddm::CallLog;

namespace {

std::vector<CallEvent> events_of(const CallLog& log) {
  std::vector<CallEvent> events;
  log.read([&](const CallEvent& event) { events.push_back(event); });
  return events;
}

}  // namespace

TEST_CASE("events of several threads come in the order of time") {
  CallLog log(100'000, {false, true}, 0);
  std::vector<std::thread> threads;
  for (std::uint16_t t = 1; t <= 4; ++t) {
    threads.emplace_back([&log, t] {
      CallLog::Writer writer;
      for (std::uint32_t i = 0; i < 5000; ++i) {
        log.add(writer, {i * 4u + t, 0, i, t, ddm::CallAction::kEnter});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto events = events_of(log);
  REQUIRE(events.size() == 20'000);
  CHECK(log.lost() == 0);
  bool in_order = true;
  for (std::size_t i = 0; i < events.size(); ++i) in_order &= events[i].at == i + 1;
  CHECK(in_order);
}

TEST_CASE("what does not fit into a log is counted") {
  CallLog log(2 * CallLog::kEventsOfChunk, {}, 0);
  CallLog::Writer writer;
  for (std::uint32_t i = 0; i < 3000; ++i) log.add(writer, {i, 0, i, 1, ddm::CallAction::kEnter});
  CHECK(events_of(log).size() == 2 * CallLog::kEventsOfChunk);
  CHECK(log.lost() == 3000 - 2 * CallLog::kEventsOfChunk);
}

TEST_CASE("a log tells events as they were, whatever lies between two") {
  // Pauses of all lengths, back as well, several threads in turn, CPU time of hours.
  constexpr CallLog::Kind kKinds[] = {{false, false}, {true, false}, {false, true}, {true, true}};
  for (const CallLog::Kind kind : kKinds) {
    CallLog log(50'000, kind, 0);
    CallLog::Writer writer;
    std::minstd_rand random(kind.cpu ? 7u : 8u);
    std::vector<CallEvent> told;
    CallEvent event{std::uint64_t{1} << 52, 0, 0, 1, ddm::CallAction::kEnter};
    while (told.size() < 20'000) {
      const std::uint64_t step = random() >> random() % 32;
      event.at += step << random() % 12;
      if (kind.exact && random() % 50 == 0) event.at -= step;
      event.cpu += step / 2;
      if (random() % 20 == 0) {
        event.thread = static_cast<std::uint16_t>(1 + random() % ddm::TraceThreads::kMost);
        event.cpu = std::uint64_t{random()} << random() % 20;
      }
      event.method = random() % 9 == 0 ? ddm::MethodNumbers::kMost - 1 : random() % 5;
      event.action = static_cast<ddm::CallAction>(random() % 3);
      told.push_back(event);
      log.add(writer, event);
    }
    CHECK(log.lost() == 0);
    std::stable_sort(told.begin(), told.end(),
                     [](const CallEvent& a, const CallEvent& b) { return a.at < b.at; });
    const auto events = events_of(log);
    REQUIRE(events.size() == told.size());
    bool same = true;
    for (std::size_t i = 0; i < told.size(); ++i) {
      const CallEvent &a = events[i], &b = told[i];
      same &= (kind.exact ? a.at == b.at : a.at / 64 == b.at / 64) && a.method == b.method &&
              a.thread == b.thread && a.action == b.action;
      same &= !kind.cpu || a.cpu / 64 == b.cpu / 64;
    }
    CHECK(same);
  }
}

TEST_CASE("a log has room for as many events as it says, be they as far apart as they like") {
  for (const bool cpu : {false, true}) {
    CallLog log(100 * CallLog::kEventsOfChunk, {cpu, false}, 0);
    CallLog::Writer writer;
    std::uint64_t at = 0;
    for (std::uint32_t i = 0; i < 100 * CallLog::kEventsOfChunk; ++i) {
      log.add(writer, {at += 1'000'000, at / 3, i, 1, ddm::CallAction::kEnter});
    }
    CHECK(log.lost() == 0);
    CHECK(events_of(log).size() == 100 * CallLog::kEventsOfChunk);
  }
}

TEST_CASE("a log's number of a thread is Java's id where it fits, and never another's") {
  CallLog log(1024, {}, 0);
  bool is_new = false;
  CHECK(log.number_of_thread(77, is_new) == 77);
  CHECK(is_new);
  CHECK(log.number_of_thread(32768, is_new) == 32767);
  CHECK(log.number_of_thread(32767, is_new) == 32766);
  CHECK(log.number_of_thread(std::int64_t{1} << 40, is_new) == 32765);
  CHECK(is_new);
  CHECK(log.number_of_thread(32767, is_new) == 32766);
  CHECK_FALSE(is_new);
  for (std::int64_t id = 1000; id < 1000 + ddm::TraceThreads::kMost; ++id) {
    log.number_of_thread(id, is_new);
  }
  CHECK(log.number_of_thread(50'000, is_new) == 0);
  CHECK_FALSE(is_new);
  CHECK(log.number_of_thread(5, is_new) == 0);
  CHECK(log.number_of_thread(77, is_new) == 77);
}

TEST_CASE("sums of methods with any number are kept apart") {
  ddm::MethodSums sums(std::make_shared<ddm::CommonSums>());
  for (const ddm::MethodNumber method : {0u, 127u, 128u, 16'384u, ddm::MethodNumbers::kMost - 1}) {
    const auto at = sums.of(method);
    REQUIRE(at.sum != nullptr);
    CHECK_FALSE(at.common);
    at.add(&ddm::MethodSums::Sum::calls, method + 1);
  }
  std::vector<std::uint64_t> calls;
  sums.for_each([&](ddm::MethodNumber method, const ddm::MethodSum& sum) {
    CHECK(sum.calls == method + 1);
    calls.push_back(sum.calls);
  });
  CHECK(calls.size() == 5);
}

TEST_CASE("sums that threads have no room for are common, and complete") {
  constexpr std::size_t kThreads = 4, kRounds = 50;
  constexpr ddm::PathNumber kPaths = 20'000;
  const auto common = std::make_shared<ddm::CommonSums>(/*most_bytes=*/100'000);
  std::vector<std::unique_ptr<ddm::MethodSums>> all;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    all.push_back(std::make_unique<ddm::MethodSums>(common));
    threads.emplace_back([sums = all.back().get()] {
      for (std::size_t round = 0; round < kRounds; ++round) {
        for (ddm::PathNumber path = 0; path < kPaths; path += 7) {
          sums->of(path).add(&ddm::MethodSums::Sum::calls, 1);
          sums->of(path).add(&ddm::MethodSums::Sum::self, path);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::map<ddm::PathNumber, ddm::MethodSum> found;
  std::size_t own = 0;
  const auto add = [&](ddm::PathNumber path, const ddm::MethodSum& more) { found[path] += more; };
  common->for_each(add);
  CHECK(found.size() > kPaths / 7 / 2);
  for (const auto& sums : all) {
    sums->for_each([&](ddm::PathNumber path, const ddm::MethodSum& more) {
      ++own;
      add(path, more);
    });
  }
  CHECK(own > 0);
  CHECK(own * sizeof(ddm::MethodSums::Sum) < 100'000);
  CHECK(found.size() == (kPaths + 6) / 7);
  for (const auto& [path, sum] : found) {
    REQUIRE(sum.calls == kThreads * kRounds);
    REQUIRE(sum.self == path * kThreads * kRounds);
  }
}

TEST_CASE("ticks are nanoseconds of the clock, and CPU time never goes back") {
  ddm::TickClock::calibrate();
  const std::uint64_t begin_nanos = ddm::TickClock::monotonic_nanos();
  const ddm::Ticks begin = ddm::TickClock::now();
  ddm::ThreadCpuClock cpu;
  ddm::Ticks last = cpu.ticks(begin);
  const ddm::Ticks first = last;
  bool went_back = false;
  while (ddm::TickClock::monotonic_nanos() - begin_nanos < 20'000'000) {
    const ddm::Ticks now = cpu.ticks(ddm::TickClock::now());
    went_back |= now < last;
    last = now;
  }
  CHECK_FALSE(went_back);
  const std::uint64_t ticked = ddm::TickClock::nanos(ddm::TickClock::now() - begin);
  const std::uint64_t passed = ddm::TickClock::monotonic_nanos() - begin_nanos;
  CHECK(static_cast<double>(ticked) == Approx(static_cast<double>(passed)).epsilon(0.02));
  CHECK(ddm::TickClock::nanos(last - first) <= passed + 200'000);
}

TEST_CASE("the time is that after the CPU clock, where that was read") {
  ddm::TickClock::calibrate();
  ddm::ThreadCpuClock cpu;
  const ddm::Ticks begin = ddm::TickClock::now();
  ddm::Ticks now = begin;
  const ddm::Ticks first = cpu.advance(now);
  CHECK(now > begin);
  CHECK(now <= ddm::TickClock::now());
  ddm::Ticks soon = now + 1;
  CHECK(cpu.advance(soon) == first + 1);
  CHECK(soon == now + 1);
}
