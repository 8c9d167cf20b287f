#include "stack/walk/stack_trail.h"

#include <algorithm>
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

  void walk(StackTrail* trail, ShownStack& stack) {
    FrameWalker walker(vm_.layout, vm_.thread());
    FrameWalker::Place at{address(sp_), read(sp_ - 1), 0, 0, false};
    if (trail != nullptr) REQUIRE(trail->begin(code_goes ? &cache_ : nullptr));
    bool complete = false;
    for (bool on = true; on;) {
      StackTrail* const use = stack.on_top() ? nullptr : trail;
      if (use != nullptr && use->leads_on_from(walker, at)) {
        const auto followed = use->follow(stack, at);
        ++followed_;
        complete = followed == StackTrail::Followed::kEnd;
        if (followed != StackTrail::Followed::kContinue) break;
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

void check_same(TrailedStack& scene, StackTrail& trail, std::size_t wanted, std::size_t hashed) {
  scene.lay();
  ShownStack known(TopFrames::kAsTheyAre, wanted, hashed, wanted / 3);
  scene.walk(&trail, known);
  ShownStack plain(TopFrames::kAsTheyAre, wanted, hashed);
  scene.walk(nullptr, plain);
  const auto first = known.first_frames(), all = plain.frames();
  REQUIRE(first.size() == std::min(all.size(), wanted / 3));
  REQUIRE(std::equal(first.begin(), first.end(), all.begin()));
  const auto a = known.frames(), b = plain.frames();
  REQUIRE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  REQUIRE(known.hash() == plain.hash());
  REQUIRE(known.last_role() == plain.last_role());
}

TEST_CASE("a trail shows the frames that a walk of each would, however the stack changes") {
  std::mt19937 random(GENERATE(1u, 2u, 3u, 4u));
  TrailedStack scene;
  scene.code_goes = GENERATE(false, true);
  const auto trail = std::make_unique<StackTrail>();
  const auto any = [&] { return static_cast<std::size_t>(random() % 40); };
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
    const std::size_t wanted = 9 + random() % 57;
    check_same(scene, *trail, wanted, random() % 2 == 0 ? wanted - 1 : wanted);
    if (random() % 500 == 0) trail->clear();
  }
  CHECK(scene.followed() > 10'000);
}

TEST_CASE("of a stack that stays as it was a walk looks at the innermost frames only") {
  TrailedStack scene;
  const auto trail = std::make_unique<StackTrail>();
  for (std::size_t i = 0; i < 60; ++i) scene.frames.push_back(1 + i % 9);
  check_same(scene, *trail, 65, 64);
  scene.looked_at = 0;
  ShownStack stack(TopFrames::kAsTheyAre, 65, 64);
  scene.walk(trail.get(), stack);
  CHECK(scene.looked_at <= 2);
}

TEST_CASE("where code can go a frame is looked at again once its code is not what it was") {
  TrailedStack scene;
  scene.code_goes = true;
  const auto trail = std::make_unique<StackTrail>();
  for (std::size_t i = 0; i < 60; ++i) scene.frames.push_back(4 + i % 30);
  const auto looked_at = [&] {
    scene.looked_at = 0;
    ShownStack stack(TopFrames::kAsTheyAre, 65, 64);
    scene.walk(trail.get(), stack);
    return scene.looked_at;
  };
  check_same(scene, *trail, 65, 64);
  const std::size_t innermost = looked_at();
  CHECK(innermost <= 2);
  std::mt19937 random(1);
  scene.replace(10, random);
  const std::size_t again = looked_at();  // and what other frames there need of the outer ones
  CHECK(again > innermost);
  CHECK(again <= innermost + 4);
  CHECK(looked_at() == innermost);
  check_same(scene, *trail, 65, 64);
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
  trail.give_up();
  CHECK(trail.begin(nullptr));
}

TEST_CASE("runs of frames come to the same hash as their frames one by one") {
  const std::vector<Frame> frames = {{1, 5}, {2, 6}, {3, -1}, {4, 9}};
  const auto sum_of = [&](std::size_t count) {
    std::uint64_t sum = 0, power = 1;
    for (std::size_t i = 0; i < count; ++i, power *= stack_hash::kBase) {
      sum += stack_hash::term(frames[i]) * power;
    }
    return sum;
  };
  for (const std::size_t hashed : {2u, 3u, 4u, 5u, 9u}) {
    ShownStack by_run(TopFrames::kAsTheyAre, 10, hashed), by_one(TopFrames::kAsTheyAre, 10, hashed);
    by_run.add({7, 7, ShownRole::kPlain});
    by_one.add({7, 7, ShownRole::kPlain});
    CHECK(by_run.add_run(frames, ShownRole::kPlain, ShownStack::Run::kGoes, sum_of));
    for (const Frame& frame : frames) by_one.add({frame.method, frame.bci, ShownRole::kPlain});
    CHECK(by_run.hash() == by_one.hash());
    CHECK(by_run.frames().size() == 5);
  }
}

}  // namespace
}  // namespace ddm
