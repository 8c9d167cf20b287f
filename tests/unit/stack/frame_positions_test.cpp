#include "stack/walk/frame_positions.h"

#include <catch2/catch.hpp>
#include <thread>

namespace ddm {
namespace {

constexpr VmAddress kSp = 0x7fff12345670;

FramePositions::Position position_at(const FramePositions& positions, VmAddress sp) {
  return {positions.key_of(sp), 1000, {2000, 3}, ShownFrame(7, 5, FrameRole::kPlain)};
}

bool is_known(FramePositions& positions, VmAddress sp) {
  return positions.at(sp).key == positions.key_of(sp);
}

TEST_CASE("a frame is known where it stood, until another stands there") {
  std::thread([] {
    FramePositions* positions = FramePositions::of_this_thread({1, 1});
    REQUIRE(positions != nullptr);
    CHECK_FALSE(is_known(*positions, kSp));
    positions->at(kSp) = position_at(*positions, kSp);
    CHECK(is_known(*positions, kSp));
    CHECK(positions->at(kSp).frames[0].frame() == Frame{7, 5});
    CHECK_FALSE(is_known(*positions, kSp + 8));
    const VmAddress far = kSp + (VmAddress{1} << 20);  // the same place in the table
    CHECK_FALSE(is_known(*positions, far));
    positions->at(far) = position_at(*positions, far);
    CHECK_FALSE(is_known(*positions, kSp));
    CHECK(FramePositions::of_this_thread({1, 1}) == positions);
    CHECK(is_known(*positions, far));
  }).join();
}

TEST_CASE("no frame is known in another epoch, after any number of them") {
  std::thread([] {
    for (std::uint32_t pauses = 0; pauses < 70000; ++pauses) {
      FramePositions* positions = FramePositions::of_this_thread({1, pauses});
      REQUIRE_FALSE(is_known(*positions, kSp));
      if (pauses < 3 || pauses > 65000) positions->at(kSp) = position_at(*positions, kSp);
    }
    FramePositions* positions = FramePositions::of_this_thread({2, 69999});
    CHECK_FALSE(is_known(*positions, kSp));
  }).join();
}

TEST_CASE("threads know their own frames only") {
  FramePositions* mine = FramePositions::of_this_thread({1, 1});
  mine->at(kSp) = position_at(*mine, kSp);
  std::thread([] { CHECK_FALSE(is_known(*FramePositions::of_this_thread({1, 1}), kSp)); }).join();
}

}  // namespace
}  // namespace ddm
