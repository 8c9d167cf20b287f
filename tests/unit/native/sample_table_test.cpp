#include "native/malloc/sample_table.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using namespace ddm;

namespace {

const void* at(std::uintptr_t number) {
  return reinterpret_cast<const void*>(0x7f0000000000 + 16 * number);  // NOLINT
}

AllocationSample sample_of(std::uint64_t bytes) {
  AllocationSample sample;
  sample.bytes = bytes;
  sample.native_frames = 3;
  sample.java_frames = 1;
  for (std::size_t i = 0; i < 3; ++i) sample.native[i] = bytes * 10 + i;
  sample.java[0] = {bytes, -3};
  return sample;
}

bool consistent(const AllocationSample& sample) {
  const AllocationSample right = sample_of(sample.bytes);
  return sample.native_frames == 3 && sample.java_frames == 1 &&
         std::equal(right.native.begin(), right.native.begin() + 3, sample.native.begin()) &&
         sample.java[0] == right.java[0];
}

}  // namespace

TEST_CASE("a sample lives from its allocation to its end") {
  const auto table = SampleTable::create(100);
  REQUIRE(table);
  CHECK_FALSE(table->may_hold(at(1)));
  CHECK(table->take(at(1)) == SampleTable::kNone);
  CHECK(table->add(at(1), sample_of(500)));
  CHECK(table->may_hold(at(1)));
  auto samples = table->snapshot();
  REQUIRE(samples.size() == 1);
  CHECK(samples[0].bytes == 500);
  CHECK(consistent(samples[0]));
  const auto record = table->take(at(1));
  CHECK(record != SampleTable::kNone);
  CHECK_FALSE(table->may_hold(at(1)));
  CHECK(table->snapshot().empty());
  table->put_back(at(1), record);
  CHECK(table->snapshot().size() == 1);
  table->drop(table->take(at(1)));
  CHECK(table->snapshot().empty());
}

TEST_CASE("an address that comes again replaces what was there") {
  const auto table = SampleTable::create(100);
  CHECK(table->add(at(7), sample_of(1)));
  CHECK(table->add(at(7), sample_of(2)));
  const auto samples = table->snapshot();
  REQUIRE(samples.size() == 1);
  CHECK(samples[0].bytes == 2);
}

TEST_CASE("the null pointer is never there, and asking for it changes nothing") {
  const auto table = SampleTable::create(100);
  // An address that shares its place in the filter with null.
  std::uintptr_t twin = 1;
  for (;; ++twin) {
    REQUIRE(table->add(at(twin), sample_of(1)));
    if (table->may_hold(nullptr)) break;
    table->drop(table->take(at(twin)));
  }
  CHECK(table->take(nullptr) == SampleTable::kNone);
  CHECK(table->may_hold(at(twin)));
  CHECK(table->take(at(twin)) != SampleTable::kNone);
}

TEST_CASE("a full table drops samples, counts them, and goes on when there is room") {
  const auto table = SampleTable::create(100);
  for (std::uintptr_t i = 0; i < 150; ++i) table->add(at(i), sample_of(i + 1));
  CHECK(table->snapshot().size() == 100);
  CHECK(table->dropped() == 50);
  for (std::uintptr_t i = 0; i < 100; ++i) table->drop(table->take(at(i)));
  CHECK(table->snapshot().empty());
  for (int round = 0; round < 50; ++round) {
    for (std::uintptr_t i = 0; i < 100; ++i) CHECK(table->add(at(1000 + i), sample_of(i + 1)));
    for (std::uintptr_t i = 0; i < 100; ++i) table->drop(table->take(at(1000 + i)));
  }
  CHECK(table->dropped() == 50);
}

TEST_CASE("threads that allocate and free do not mix up samples, and readers see whole ones") {
  const auto table = SampleTable::create(4000);
  std::atomic<bool> done{false};
  std::atomic<int> missing{0};
  std::vector<std::thread> threads;
  for (std::uintptr_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 40; ++round) {
        for (std::uintptr_t i = 0; i < 1000; ++i) table->add(at(3 * i + t), sample_of(i + 1));
        for (std::uintptr_t i = 0; i < 1000; ++i) {
          const auto record = table->take(at(3 * i + t));
          if (record == SampleTable::kNone) {
            ++missing;
          } else {
            table->drop(record);
          }
        }
      }
    });
  }
  std::atomic<int> torn{0};
  std::thread reader([&] {
    while (!done) {
      for (const AllocationSample& sample : table->snapshot()) torn += consistent(sample) ? 0 : 1;
    }
  });
  for (std::thread& thread : threads) thread.join();
  done = true;
  reader.join();
  CHECK(torn == 0);
  CHECK(missing == static_cast<int>(table->dropped()));
  CHECK(table->snapshot().empty());
}
