#include "allocations/store/alloc_ring.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <vector>

namespace ddm {
namespace {

AllocRecord record_of(std::int64_t size, std::int64_t thread) {
  AllocRecord record;
  record.size = size;
  record.thread_id = thread;
  record.class_id = static_cast<NameId>(size % 97);
  return record;
}

std::vector<Frame> frames_of(std::uint32_t seed, std::size_t count) {
  std::vector<Frame> frames;
  for (std::size_t i = 0; i < count; ++i) {
    frames.push_back({seed, static_cast<std::int32_t>(i)});
  }
  return frames;
}

}  // namespace

TEST_CASE("an empty ring gives an empty snapshot") {
  auto ring = AllocRing::create(8, 4);
  REQUIRE(ring);
  CHECK(ring->snapshot().empty());
  CHECK(ring->last_seq() == 0);
}

TEST_CASE("a snapshot holds the records newest first with their frames") {
  auto ring = AllocRing::create(8, 4);
  for (int i = 1; i <= 5; ++i) ring->push(record_of(i * 8, i), frames_of(i, i % 4 + 1));
  const RecordSet set = ring->snapshot();
  REQUIRE(set.size() == 5);
  for (int i = 0; i < 5; ++i) {
    const int n = 5 - i;
    CHECK(set[i].record.seq == static_cast<std::uint64_t>(n));
    CHECK(set[i].record.size == n * 8);
    CHECK(set[i].record.thread_id == n);
    const auto want = frames_of(n, n % 4 + 1);
    CHECK(std::vector(set[i].frames.begin(), set[i].frames.end()) == want);
  }
}

TEST_CASE("after a wrap the ring keeps exactly the newest records") {
  auto ring = AllocRing::create(100, 2);
  for (int i = 1; i <= 1234; ++i) ring->push(record_of(i, 1), frames_of(i, 2));
  const RecordSet set = ring->snapshot();
  REQUIRE(set.size() == 100);
  CHECK(set[0].record.seq == 1234);
  CHECK(set[99].record.seq == 1135);
  CHECK(set[99].record.size == 1135);
  CHECK(ring->last_seq() == 1234);
}

TEST_CASE("a stack deeper than the ring is cut and marked") {
  auto ring = AllocRing::create(4, 3);
  ring->push(record_of(1, 1), frames_of(7, 5));
  ring->push(record_of(2, 1), frames_of(7, 3));
  const RecordSet set = ring->snapshot();
  CHECK(set[1].frames.size() == 3);
  CHECK((set[1].record.flags & kStackTruncated) != 0);
  CHECK(set[0].frames.size() == 3);
  CHECK((set[0].record.flags & kStackTruncated) == 0);
}

TEST_CASE("a cleared ring starts empty and its numbers go on") {
  auto ring = AllocRing::create(4, 1);
  for (int i = 1; i <= 6; ++i) ring->push(record_of(i, 1), {});
  ring->clear();
  CHECK(ring->snapshot().empty());
  ring->push(record_of(70, 1), {});
  const RecordSet set = ring->snapshot();
  REQUIRE(set.size() == 1);
  CHECK(set[0].record.seq == 7);
}

TEST_CASE("sizes outside the limits give no ring") {
  CHECK_FALSE(AllocRing::create(0, 16));
  CHECK_FALSE(AllocRing::create(kMaxRecords + 1, 16));
  CHECK_FALSE(AllocRing::create(16, 0));
  CHECK_FALSE(AllocRing::create(16, kMaxDepth + 1));
  CHECK(AllocRing::create(1, 1));
}

TEST_CASE(
    "snapshots taken while four threads write hold whole records in order, up to the newest") {
  auto ring = AllocRing::create(1024, 8);
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int t = 1; t <= 4; ++t) {
    writers.emplace_back([&, t] {
      for (std::int64_t i = 1; !stop; ++i) {
        ring->push(record_of(i, t), frames_of(static_cast<std::uint32_t>(i * 4 + t), 8));
      }
    });
  }
  while (ring->last_seq() < 5000) std::this_thread::yield();
  int checked = 0;
  for (int round = 0; round < 200; ++round) {
    const RecordSet set = ring->snapshot();
    std::int64_t last_of_thread[5] = {0, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    for (std::size_t i = 0; i < set.size(); ++i) {
      const auto entry = set[i];
      if (i > 0 && entry.record.seq >= set[i - 1].record.seq) FAIL("a seq out of order");
      const auto t = entry.record.thread_id;
      if (entry.record.size >= last_of_thread[t]) FAIL("a thread's records out of order");
      last_of_thread[t] = entry.record.size;
      for (const Frame& f : entry.frames) {
        if (f.method != static_cast<NameId>(entry.record.size * 4 + t)) FAIL("a torn record");
      }
      ++checked;
    }
  }
  stop = true;
  for (auto& w : writers) w.join();
  CHECK(checked > 0);

  // At rest nothing is missing but what writers found no slot for.
  const RecordSet set = ring->snapshot();
  CHECK(set.size() <= 1024);
  CHECK(set.size() >= 1024 - 4);
}

TEST_CASE("threads that stay below the ring's size leave every record, each number once") {
  constexpr int kThreads = 8, kEach = 2000;
  auto ring = AllocRing::create(kThreads * kEach, 2);
  std::vector<std::thread> writers;
  for (int t = 1; t <= kThreads; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 1; i <= kEach; ++i) {
        if (!ring->push(record_of(i, t), frames_of(static_cast<std::uint32_t>(t), 2))) {
          FAIL("a record without a slot");
        }
      }
    });
  }
  for (auto& w : writers) w.join();
  const RecordSet set = ring->snapshot();
  REQUIRE(set.size() == kThreads * kEach);
  std::vector<std::int64_t> left(kThreads + 1, kEach);  // newest first: sizes count down
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto [record, frames] = set[i];
    if (record.seq != set.size() - i) FAIL("a missing seq");
    if (record.size != left[static_cast<std::size_t>(record.thread_id)]--) FAIL("out of order");
  }
}

TEST_CASE("in a ring of one slot many threads write without waiting and without tearing") {
  auto ring = AllocRing::create(1, 8);
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> pushed{0}, refused{0};
  std::vector<std::thread> writers;
  for (int t = 1; t <= 4; ++t) {
    writers.emplace_back([&, t] {
      for (std::int64_t i = 1; !stop; ++i) {
        const bool stored =
            ring->push(record_of(i, t), frames_of(static_cast<std::uint32_t>(i * 4 + t), 8));
        ++(stored ? pushed : refused);
      }
    });
  }
  while (pushed == 0) std::this_thread::yield();
  for (int round = 0; round < 2000; ++round) {
    const RecordSet set = ring->snapshot();
    if (set.empty()) continue;
    const auto [record, frames] = set[0];
    for (const Frame& f : frames) {
      if (f.method != static_cast<NameId>(record.size * 4 + record.thread_id)) FAIL("torn");
    }
  }
  stop = true;
  for (auto& w : writers) w.join();
  CHECK(ring->snapshot().size() <= 1);
  INFO(refused << " refused of " << pushed);
}

TEST_CASE("a large ring holds as many records as it has room for, whichever threads they are of") {
  constexpr int kThreads = 4, kEach = 60'000;
  auto ring = AllocRing::create(kDefaultRecords, 2);
  std::vector<std::thread> writers;
  for (int t = 1; t <= kThreads; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 1; i <= kEach; ++i) {
        AllocRecord record = record_of(i, t);
        record.time_ms = i / 2000;
        ring->push(record, frames_of(static_cast<std::uint32_t>(t), 2));
      }
    });
  }
  for (auto& w : writers) w.join();
  const RecordSet set = ring->snapshot();
  CHECK(set.size() == kDefaultRecords);
  std::vector<std::int64_t> next(kThreads + 1, kEach);
  for (std::size_t i = 0; i < set.size(); ++i) {
    const AllocRecord& record = set[i].record;
    if (i > 0 && record.seq >= set[i - 1].record.seq) FAIL("a seq out of order");
    if (record.size != next[static_cast<std::size_t>(record.thread_id)]--) FAIL("one is missing");
  }
}

TEST_CASE("what is recorded after somebody asked for the last seq comes behind it, on any thread") {
  constexpr int kThreads = 4;
  auto ring = AllocRing::create(kDefaultRecords, 2);
  std::barrier together(kThreads + 1);
  std::atomic<std::uint64_t> last{0};
  std::atomic<int> before{0};
  std::vector<std::thread> writers;
  for (int t = 1; t <= kThreads; ++t) {
    writers.emplace_back([&, t] {
      for (int round = 0; round < 50; ++round) {
        for (int i = 1; i <= 3000 + t; ++i) ring->push(record_of(i, t), {});
        together.arrive_and_wait();
        together.arrive_and_wait();
        for (int i = 1; i <= 20; ++i) before += ring->push(record_of(i, t), {}) <= last;
        together.arrive_and_wait();
      }
    });
  }
  for (int round = 0; round < 50; ++round) {
    together.arrive_and_wait();
    last = ring->last_seq();
    together.arrive_and_wait();
    together.arrive_and_wait();
  }
  for (auto& w : writers) w.join();
  CHECK(before == 0);
}

TEST_CASE("what a ring holds at one moment can be read after all of it was overwritten") {
  for (const std::uint32_t capacity : {1u, 100u, 20'000u}) {
    auto ring = AllocRing::create(capacity, 4);
    const auto push = [&](std::int64_t i) {
      ring->push(record_of(i, i), frames_of(static_cast<std::uint32_t>(i), i % 4 + 1));
    };
    const std::int64_t before = 3 * capacity / 2 + 1;
    for (std::int64_t i = 1; i <= before; ++i) push(i);
    for (std::int64_t more : {std::int64_t{capacity} / 3, 5 * std::int64_t{capacity} / 2}) {
      const auto last = static_cast<std::int64_t>(ring->last_seq());
      const RingSnapshot moment(*ring);
      for (std::int64_t i = 1; i <= more; ++i) push(last + i);
      const RecordSet set = moment.records();
      REQUIRE(set.size() == capacity);
      CHECK(set.overtaken() == 0);
      for (std::size_t i = 0; i < set.size(); ++i) {
        const auto [record, frames] = set[i];
        const std::int64_t n = last - static_cast<std::int64_t>(i);
        if (record.seq != static_cast<std::uint64_t>(n) || record.size != n) FAIL("another record");
        if (std::vector(frames.begin(), frames.end()) !=
            frames_of(static_cast<std::uint32_t>(n), n % 4 + 1)) {
          FAIL("other frames");
        }
      }
    }
    CHECK(ring->snapshot().size() == capacity);
  }
}

TEST_CASE("a record whose stack has a number gets its frames from the tree") {
  const std::shared_ptr<CallTree> traces = CallTree::create(64, 8);
  auto ring = AllocRing::create(8, 4);
  ring->use(traces);
  const auto numbered = [&](std::uint32_t seed, std::size_t count) {
    AllocRecord record = record_of(8, seed);
    record.trace = traces->number_of(frames_of(seed, count));
    record.tree = traces->id();
    REQUIRE(ring->finds(*traces, record.trace));
    return record;
  };
  for (std::uint32_t i = 1; i <= 6; ++i) ring->push_numbered(numbered(i, i), i);
  ring->push(record_of(8, 7), frames_of(7, 2));
  const auto check = [](const RecordSet& set) {
    REQUIRE(set.size() == 7);
    for (std::uint32_t i = 1; i <= 7; ++i) {
      const auto& [record, frames] = set[7 - i];
      std::vector<Frame> want = frames_of(i, i == 7 ? 2 : i);
      want.resize(std::min<std::size_t>(want.size(), 4));
      CHECK(std::vector(frames.begin(), frames.end()) == want);
      CHECK(record.thread_id == i);
      CHECK(record.flags == (i == 5 || i == 6 ? kStackTruncated : 0));
    }
  };
  check(ring->snapshot());
  const RingSnapshot moment(*ring);
  for (std::uint32_t i = 1; i <= 20; ++i) ring->push_numbered(numbered(100, 3), 3);
  check(moment.records());
}

TEST_CASE("a ring finds no stack of another tree and none that lacks frames") {
  const std::shared_ptr<CallTree> traces = CallTree::create(10, 16);
  const auto other = CallTree::create(10, 16);
  const auto ring = AllocRing::create(8, 4);
  const TraceNumber whole = traces->number_of(frames_of(1, 3));
  CHECK_FALSE(ring->finds(*traces, whole));
  ring->use(traces);
  CHECK(ring->finds(*traces, whole));
  CHECK_FALSE(ring->finds(*other, whole));
  CHECK_FALSE(ring->finds(*traces, kNoTrace));
  TraceNumber last = whole;
  for (std::uint32_t i = 2; !traces->lacks_frames(last) && i < 1000; ++i) {
    last = traces->number_of(frames_of(i, 12));
  }
  REQUIRE(traces->lacks_frames(last));
  CHECK_FALSE(ring->finds(*traces, last));
  const auto deeper = AllocRing::create(8, 16 + 1);
  deeper->use(traces);
  CHECK_FALSE(deeper->finds(*traces, whole));
}

TEST_CASE("a record whose stack's number is another tree's is in no snapshot") {
  const std::shared_ptr<CallTree> first = CallTree::create(64, 8);
  const std::shared_ptr<CallTree> second = CallTree::create(64, 8);
  const auto ring = AllocRing::create(8, 4);
  ring->use(first);
  AllocRecord record = record_of(8, 1);
  record.trace = first->number_of(frames_of(1, 2));
  record.tree = first->id();
  ring->push_numbered(record, 2);
  CHECK(ring->snapshot().size() == 1);
  ring->clear();
  ring->use(second);
  CHECK_FALSE(ring->finds(*first, record.trace));
  ring->push_numbered(record, 2);  // by a thread that was delayed since before clear()
  CHECK(ring->snapshot().empty());
}

TEST_CASE("a number that nobody has written is missing in a moment and is not waited for") {
  auto counters = std::make_unique<RingCounters>();
  std::vector<RingSlot::Word> words(8 * (RingSlot::kHeadWords + 2));
  auto ring = AllocRing::over_memory(*counters, words.data(), 8, 2);
  for (int i = 1; i <= 6; ++i) ring->push(record_of(i, 1), {});
  counters->next_seq += 2;  // 7 and 8
  const auto sizes = [](const RecordSet& set) {
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i < set.size(); ++i) result.push_back(set[i].record.size);
    return result;
  };
  const RingSnapshot moment(*ring);
  for (int i = 9; i <= 40; ++i) ring->push(record_of(i, 1), {});
  const RecordSet set = moment.records();
  CHECK(sizes(set) == std::vector<std::int64_t>{6, 5, 4, 3, 2, 1});
  CHECK(set.overtaken() == 0);
}

TEST_CASE(
    "a snapshot holds a ring's worth of records however many threads write as fast as they can") {
  auto ring = AllocRing::create(kDefaultRecords, kDefaultDepth);
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int t = 1; t <= 4; ++t) {
    writers.emplace_back([&, t] {
      const auto frames = frames_of(static_cast<std::uint32_t>(t), 3);
      for (std::int64_t i = 1; !stop; ++i) {
        AllocRecord record = record_of(i, t);
        record.time_ms = i / 20'000;
        ring->push(record, frames);
      }
    });
  }
  while (ring->last_seq() < 4 * kDefaultRecords) std::this_thread::yield();
  std::size_t least = kDefaultRecords;
  std::int64_t overtaken = 0;
  for (int round = 0; round < 10; ++round) {
    const RecordSet set = ring->snapshot();
    least = std::min(least, set.size());
    overtaken += set.overtaken();
    for (std::size_t i = 1; i < set.size(); ++i) {
      if (set[i].record.seq >= set[i - 1].record.seq) FAIL("a seq out of order");
    }
  }
  stop = true;
  for (auto& w : writers) w.join();
  // One ticket in 32 nobody uses, at most, and the ring has slots for half of those.
  CHECK(least >= 60'000);
  CHECK(overtaken < 100);
}

}  // namespace ddm
