#include <catch2/catch.hpp>
#include <vector>

#include "allocations/store/ring_slots.h"

namespace ddm {
namespace {

AllocRecord of_size(std::int64_t size) {
  AllocRecord record;
  record.size = size;
  return record;
}

}  // namespace

TEST_CASE("a slot whose writer never comes back is seen as torn and refuses later writers") {
  std::vector<RingSlot::Word> words(RingSlot::kHeadWords + 2);
  RingSlot slot = RingSlots::adjacent(words.data(), 2)[0];
  std::vector<Frame> frames{{1, 2}, {3, 4}};
  AllocRecord record;
  CHECK(slot.state_for(5) == SlotState::kOlder);

  REQUIRE(slot.lock(5));
  slot.write_and_unlock(5, of_size(16), 0, frames);
  CHECK(slot.state_for(5) == SlotState::kWritten);
  CHECK(slot.read(5, record, frames));
  CHECK(record.seq == 5);

  REQUIRE(slot.lock(15));  // and then killed
  CHECK(slot.state_for(15) == SlotState::kBeingWritten);
  CHECK_FALSE(slot.read(15, record, frames));
  CHECK_FALSE(slot.read(5, record, frames));
  CHECK_FALSE(slot.lock(25));
}

TEST_CASE("a writer that was overtaken does not overwrite the newer record") {
  std::vector<RingSlot::Word> words(RingSlot::kHeadWords + 1);
  RingSlot slot = RingSlots::adjacent(words.data(), 1)[0];
  REQUIRE(slot.lock(20));
  slot.write_and_unlock(20, of_size(24), 0, {});
  CHECK(slot.state_for(10) == SlotState::kNewer);
  CHECK_FALSE(slot.lock(10));
  CHECK_FALSE(slot.lock(20));
  AllocRecord record;
  CHECK(slot.read(20, record, {}));
  CHECK(record.size == 24);
}

TEST_CASE("a slot keeps every field of a record") {
  std::vector<RingSlot::Word> words(RingSlot::kHeadWords + 3);
  RingSlot slot = RingSlots::adjacent(words.data(), 3)[0];
  AllocRecord record;
  record.time_ms = -2;
  record.size = std::int64_t{5} << 40;
  record.thread_id = -4;
  record.class_id = 0x80000005;
  record.weight = 6.5F;
  record.book = 0x80000007;
  record.trace = 0x80000008;
  record.tree = 0x80000009;
  const std::vector<Frame> frames{{9, -1}, {0x8000000a, 11}};
  REQUIRE(slot.lock(12));
  slot.write_and_unlock(12, record, 0x8001, frames);
  AllocRecord read;
  std::vector<Frame> frames_read(3);
  REQUIRE(slot.read(12, read, frames_read));
  CHECK(read.seq == 12);
  CHECK(read.time_ms == record.time_ms);
  CHECK(read.size == record.size);
  CHECK(read.thread_id == record.thread_id);
  CHECK(read.class_id == record.class_id);
  CHECK(read.frame_count == 2);
  CHECK(read.flags == 0x8001);
  CHECK(read.weight == record.weight);
  CHECK(read.book == record.book);
  CHECK(read.trace == record.trace);
  CHECK(read.tree == record.tree);
  CHECK(frames_read == std::vector<Frame>{frames[0], frames[1], Frame()});
}

}  // namespace ddm
