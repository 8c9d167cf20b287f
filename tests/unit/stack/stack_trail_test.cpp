#include "stack/walk/stack_trail.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "fake_vm.h"

namespace ddm {
namespace {

// Of an nmethod, as JDK 17 has them.
struct Head {
  std::uint32_t compile_id = 1, level = 4;
  std::uint8_t flags[3] = {}, state = 0;
  std::uint32_t rest = 0;
};
constexpr FrameCache::Alive kState{11, 0, 2};

// Compiled code of made-up places: what stands there, and how large its frame is.
struct Code {
  std::int32_t bytes;
  std::vector<ShownFrame> frames;
  Head head = {};
};

// A stack of such frames in memory of its own, walked with a trail and without.
class TrailedStack {
 public:
  static constexpr std::size_t kWords = 16384;
  static constexpr VmAddress kFirstPc = 0x100000, kBasePc = 0x90000;

  TrailedStack() : memory_(kWords) {
    vm_.layout.call_stub_return = 0x30000;
    std::mt19937 random(7);
    for (NameId i = 0; i < 40; ++i) {
      Code code{static_cast<std::int32_t>(8 * (2 + random() % 6)), {}};
      const std::size_t count = i % 11 == 0 ? 0 : 1 + random() % 3;
      for (std::size_t k = 0; k < count; ++k) {
        const bool hidden = random() % 9 == 0;
        code.frames.emplace_back(i * 4 + static_cast<NameId>(k), static_cast<std::int32_t>(i),
                                 hidden ? ShownRole::kHidden : ShownRole::kPlain);
      }
      code_.push_back(code);
    }
  }

  // From the outermost frame inwards.
  std::vector<std::size_t> frames;

  // Lays the frames down; below them lies what lay there before.
  void lay() {
    std::size_t top = kWords - 8;
    put(top - 1, kBasePc);
    starts_.clear();
    for (const std::size_t which : frames) {
      // The word below a frame is the return address into it; its size goes up to the next.
      top -= static_cast<std::size_t>(code_[which].bytes) / 8;
      put(top - 1, kFirstPc + which);
      starts_.push_back(top);
    }
    sp_ = top;
  }
  // Another nmethod comes where one was, or one is not entered any more.
  void replace(std::size_t which, std::mt19937& random) {
    Code& code = code_[which];
    if (random() % 3 == 0) {
      code.head.state = 2;
      return;
    }
    ++code.head.compile_id;
    code.frames.assign(1 + random() % 2,
                       {static_cast<NameId>(1000 + random() % 1000), 3, ShownRole::kPlain});
  }

  // A word of a frame that no walk goes by.
  void scribble(std::mt19937& random) {
    for (const std::size_t start : starts_) memory_[start] = random();
  }

  // Whether it came to the outermost frame.
  bool walk(StackTrail* trail, ShownStack& stack) {
    FrameWalker walker(vm_.layout, vm_.thread());
    FrameWalker::Place at{address(sp_), read(sp_ - 1), 0, 0, false};
    if (trail != nullptr) REQUIRE(trail->begin(code_goes ? &cache_ : nullptr));
    bool complete = false;
    for (bool on = true; on;) {
      StackTrail* const use = stack.on_top() ? nullptr : trail;
      if (use != nullptr && use->continues_from(walker, at)) {
        const auto followed = use->follow(stack, at);
        ++followed_;
        complete = followed == StackTrail::Followed::kEnd;
        if (complete || followed == StackTrail::Followed::kEnough) break;
      }
      complete = at.pc == kBasePc;
      if (complete) break;
      const Code& code = code_[at.pc - kFirstPc];
      ++looked_at;
      const FrameWalker::Place from = at;
      if (use != nullptr) use->open();
      for (const ShownFrame frame : code.frames) {
        if (use != nullptr) use->add(frame);
        if (on) on = stack.add(frame);
      }
      const VmAddress sp = at.sp + static_cast<VmAddress>(code.bytes);
      at = {sp, load<VmAddress>(sp - 8), 0, 0, false};
      if (use == nullptr) continue;
      use->words()[0] = {sp - 8, at.pc};
      // Of some it is not known where they are kept: they never go.
      use->close(from, 1, &code - &code_[0] < 4 ? 0 : FakeVm::address(&code.head), at);
    }
    if (trail != nullptr) trail->end(complete);
    return complete;
  }

  std::size_t followed() const { return followed_; }
  std::size_t looked_at = 0;
  bool code_goes = false;

 private:
  VmAddress address(std::size_t word) { return FakeVm::address(memory_.data() + word); }
  void put(std::size_t word, VmAddress value) { memory_[word] = value; }
  VmAddress read(std::size_t word) { return memory_[word]; }

  std::atomic<std::uint32_t> generation_{0};
  const FrameCache cache_{generation_, kState};
  FakeVm vm_{false};
  std::vector<VmAddress> memory_;
  std::vector<std::size_t> starts_;
  std::vector<Code> code_;
  std::size_t sp_ = 0;
  std::size_t followed_ = 0;
};

// Where a stack's number is found by the trail it is that of its frames.
std::size_t numbered = 0;

void check_same(TrailedStack& scene, StackTrail& trail, std::size_t wanted, CallTree& tree) {
  scene.lay();
  ShownStack known(TopFrames::kAsTheyAre, wanted);
  const bool whole = scene.walk(&trail, known);
  ShownStack plain(TopFrames::kAsTheyAre, wanted);
  scene.walk(nullptr, plain);
  if (whole && !known.empty()) {
    REQUIRE(trail.size() <= known.size());
    const TraceNumber number = trail.number_in(tree, known);
    if (number != kNoTrace) {
      ++numbered;
      const TraceNumber right = tree.number_of(plain.frames());
      if (tree.lacks_frames(number)) {
        REQUIRE((tree.frame(number) == plain.frames()[0] || !tree.has_gap(number)));
      } else {
        REQUIRE(number == right);
      }
    }
  }
  const auto first = known.innermost(std::min(known.size(), wanted / 3)), all = plain.frames();
  REQUIRE(first.size() == std::min(all.size(), wanted / 3));
  REQUIRE(std::equal(first.begin(), first.end(), all.begin()));
  const auto a = known.frames(), b = plain.frames();
  REQUIRE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  REQUIRE(known.last_role() == plain.last_role());
}

TEST_CASE("a trail shows the frames that a walk of each would, however the stack changes") {
  std::mt19937 random(GENERATE(1u, 2u, 3u, 4u));
  TrailedStack scene;
  scene.code_goes = GENERATE(false, true);
  const auto trail = std::make_unique<StackTrail>();
  const auto any = [&] { return static_cast<std::size_t>(random() % 40); };
  // One with room for all, and one that is full soon.
  const std::array trees = {CallTree::create(kMaxTraces, kMaxTreeDepth),
                            CallTree::create(200, kMaxTreeDepth)};
  numbered = 0;
  std::size_t depth = 20;
  for (int round = 0; round < 20'000; ++round) {
    if (random() % 200 == 0) depth = 1 + random() % (random() % 4 == 0 ? 900 : 90);
    const std::size_t keep = std::min(
        scene.frames.size(),
        std::size_t{random()} % 8 == 0
            ? random() % (scene.frames.size() + 1)
            : scene.frames.size() - std::min<std::size_t>(random() % 5, scene.frames.size()));
    // Often the same frames again behind one that is another.
    if (keep + 1 < scene.frames.size() && random() % 3 == 0) {
      scene.frames[keep] = any();
    } else if (keep > 0 && random() % 3 == 0) {  // recursion
      scene.frames.resize(keep + random() % 20, scene.frames[keep - 1]);
    } else {
      scene.frames.resize(keep);
    }
    while (scene.frames.size() < depth) scene.frames.push_back(any());
    if (scene.frames.size() > depth + 3) scene.frames.resize(depth);
    scene.scribble(random);
    if (scene.code_goes && random() % 4 == 0) scene.replace(4 + random() % 36, random);
    const std::size_t wanted = 9 + random() % (random() % 2 == 0 ? 57 : 1000);
    check_same(scene, *trail, wanted, *trees[random() % 50 == 0 ? 1 : 0]);
    if (random() % 500 == 0) trail->clear();
  }
  CHECK(scene.followed() > 10'000);
  CHECK(numbered > 5'000);
}

TEST_CASE("of a stack that stays as it was a walk looks at the innermost frames only") {
  const std::size_t depth = GENERATE(60, 200, 900);
  TrailedStack scene;
  const auto tree = CallTree::create(depth + 40, kMaxTreeDepth);
  const auto trail = std::make_unique<StackTrail>();
  for (std::size_t i = 0; i < depth; ++i) scene.frames.push_back(1 + i % 9);
  // Each walk of a deeper stack than the trail has room for makes it larger.
  for (int i = 0; i < 4; ++i) check_same(scene, *trail, depth + 5, *tree);
  scene.looked_at = 0;
  ShownStack stack(TopFrames::kAsTheyAre, depth + 5);
  scene.walk(trail.get(), stack);
  CHECK(scene.looked_at <= 2);
}

TEST_CASE("where code can go a frame is looked at again once its code is not what it was") {
  TrailedStack scene;
  scene.code_goes = true;
  const auto tree = CallTree::create(100, kMaxTreeDepth);
  const auto trail = std::make_unique<StackTrail>();
  for (std::size_t i = 0; i < 60; ++i) scene.frames.push_back(4 + i % 30);
  const auto looked_at = [&] {
    scene.looked_at = 0;
    ShownStack stack(TopFrames::kAsTheyAre, 65);
    scene.walk(trail.get(), stack);
    return scene.looked_at;
  };
  check_same(scene, *trail, 65, *tree);
  const std::size_t innermost = looked_at();
  CHECK(innermost <= 2);
  std::mt19937 random(1);
  scene.replace(10, random);
  const std::size_t again = looked_at();  // and what other frames there need of the outer ones
  CHECK(again > innermost);
  CHECK(again <= innermost + 4);
  CHECK(looked_at() == innermost);
  check_same(scene, *trail, 65, *tree);
}

TEST_CASE("stamps of code are there if its compile id and its state lie side by side") {
  const std::atomic<std::uint32_t> generation{0};
  for (const auto& [at, has] : {std::pair{11, true},
                                {15, true},
                                {16, false},
                                {-12, true},
                                {-13, false},
                                {4, true},
                                {-1, true}}) {
    const FrameCache cache(generation, {at, 0, 2});
    CHECK(cache.has_stamps() == has);
    CHECK(cache.stamp_offset() == std::min(at, 0));
  }
}

TEST_CASE("one walk at a time goes by a trail, and one that fails leaves it as it was") {
  StackTrail trail;
  CHECK(trail.begin(nullptr));
  CHECK_FALSE(trail.begin(nullptr));
  trail.abandon();
  CHECK(trail.begin(nullptr));
}

}  // namespace
}  // namespace ddm
