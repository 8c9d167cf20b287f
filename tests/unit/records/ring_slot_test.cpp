#include "records/ring_slot.h"

#include <catch2/catch.hpp>
#include <vector>

namespace ddm {
namespace {

AllocRecord of_size(std::int64_t size, std::uint16_t frames) {
  AllocRecord record;
  record.size = size;
  record.frame_count = frames;
  return record;
}

}  // namespace

TEST_CASE("a slot whose writer never comes back is seen as torn and refuses later writers") {
  std::vector<RingSlot::Word> words(RingSlot::words(2));
  RingSlot slot(words.data());
  std::vector<Frame> frames{{1, 2}, {3, 4}};
  AllocRecord record;
  CHECK(slot.state_for(5) == SlotState::kOlder);

  REQUIRE(slot.lock(5));
  slot.write_and_unlock(5, of_size(16, 2), frames.data());
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
  std::vector<RingSlot::Word> words(RingSlot::words(1));
  RingSlot slot(words.data());
  REQUIRE(slot.lock(20));
  slot.write_and_unlock(20, of_size(24, 0), nullptr);
  CHECK(slot.state_for(10) == SlotState::kNewer);
  CHECK_FALSE(slot.lock(10));
  CHECK_FALSE(slot.lock(20));
  AllocRecord record;
  CHECK(slot.read(20, record, {}));
  CHECK(record.size == 24);
}

}  // namespace ddm
