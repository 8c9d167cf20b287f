// Walks side by side must find what is there, space by space, wherever each of them stops.
#include "heap/walk/heap_walk.h"

#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "heap/walk/walk_team.h"
#include "heap_states.h"

namespace ddm {
namespace {

constexpr std::uint32_t kThing = 0x100;
constexpr std::uint32_t kInts = 0x200;
constexpr std::uint32_t kMirror = 0x300;
constexpr std::uint32_t kUnloaded = 0x400;

using Run = std::pair<int, std::uint64_t>;  // state, bytes

// Spaces of random objects, and what a map has to say of them.
class RandomHeap {
 public:
  RandomHeap(unsigned seed, std::size_t spaces, std::size_t words) : random_(seed) {
    layout_.class_size_offset = 16;
    table_.insert({.key = kThing, .bytes = 24, .state = kObjectState});
    table_.insert(
        {.key = kInts, .bytes = 16, .form = SizeForm::kArray, .shift = 2, .state = kIntsState});
    table_.insert({.key = kMirror, .form = SizeForm::kClass, .state = kClassState});
    memory_.resize(spaces * words);
    for (std::size_t i = 0; i < spaces; ++i) fill(&memory_[i * words], words);
  }

  HeapMap walk(std::size_t helpers) {
    WalkTeam team(helpers, [](const char*, std::function<void()> body) {
      return std::thread(std::move(body));
    });
    CHECK(team.members() == helpers + 1);
    HeapMap map;
    for (std::size_t i = 0; i < team.members() * HeapWalk::kLogs; ++i) {
      map.logs.push_back(std::move(*RunLog::reserve(std::size_t{1} << 20)));
    }
    std::deque<HeapWalk> walks;
    for (std::size_t i = 0; i < team.members(); ++i) {
      walks.emplace_back(layout_, table_, map, i * HeapWalk::kLogs, spaces_.size());
    }
    std::atomic<std::size_t> next{0};
    team.run([&](std::size_t member) { walks[member].walk(spaces_, base(), next); });
    for (const HeapWalk& walk : walks) {
      map.areas.insert(map.areas.end(), walk.areas().begin(), walk.areas().end());
      gaps_ += walk.gaps().count;
      knows_gap_ |= walk.any_unknown([](std::uint64_t key) { return key == kUnloaded; });
    }
    map.complete();
    return map;
  }

  const std::vector<Run>& truth() const { return truth_; }
  std::uint64_t gaps() const { return gaps_; }
  std::uint64_t true_gaps() const { return true_gaps_; }
  bool knows_gap() const { return knows_gap_; }

 private:
  std::uintptr_t base() const { return reinterpret_cast<std::uintptr_t>(memory_.data()); }

  void fill(std::uint64_t* bottom, std::size_t words) {
    std::size_t at = 0;
    // Some are empty, some full, most end somewhere.
    const std::size_t top = random_() % 4 == 0 ? random_() % 2 * words : random_() % words;
    while (at < top) {
      std::size_t size = 3;
      std::uint32_t key = kThing;
      std::uint32_t length = 0;
      int state = kObjectState;
      switch (random_() % 8) {
        case 0:
        case 1:
        case 2:
          key = kInts;
          state = kIntsState;
          length =
              static_cast<std::uint32_t>(random_() % 16 == 0 ? random_() % 2000 : random_() % 9);
          size = 2 + (length + 1) / 2;
          break;
        case 3:
          key = kMirror;
          state = kClassState;
          size = 10 + random_() % 5;
          break;
        case 4:
          if (random_() % 20 == 0 && !truth_.empty() && truth_.back().first != kUnknownState) {
            key = kUnloaded;
            state = kUnknownState;
          }
          break;
        default:
          break;
      }
      if (at + size > top) break;
      bottom[at] = 1;
      bottom[at + 1] = key | std::uint64_t{length} << 32;
      if (key == kMirror) bottom[at + 2] = size;
      if (key == kUnloaded) ++true_gaps_;
      truth_.emplace_back(state, size * 8);
      at += size;
    }
    if (at < words) truth_.emplace_back(kFreeState, (words - at) * 8);
    const auto address = reinterpret_cast<std::uintptr_t>(bottom);
    spaces_.push_back({address, address + at * 8, address + at * 8, address + words * 8, at == 0});
  }

  std::mt19937 random_;
  ObjectLayout layout_;
  KlassTable table_;
  std::vector<std::uint64_t> memory_;
  std::vector<HeapSpace> spaces_;
  std::vector<Run> truth_;
  std::uint64_t true_gaps_ = 0;
  std::uint64_t gaps_ = 0;
  bool knows_gap_ = false;
};

}  // namespace

TEST_CASE("Walks side by side find every object of every space") {
  const auto seed = GENERATE(range(1u, 40u));
  const auto helpers = GENERATE(0u, 1u, 3u);
  RandomHeap heap(seed, seed % 12, 64 + seed * 50);  // from no space at all
  const HeapMap map = heap.walk(helpers);
  std::vector<Run> found;
  std::uint64_t end = 0;
  map.for_each_run([&](std::uint64_t position, std::uint64_t bytes, std::uint8_t state) {
    CHECK(position == end);
    end = position + bytes;
    found.emplace_back(state, bytes);
  });
  CHECK(found == heap.truth());
  CHECK(heap.gaps() == heap.true_gaps());
  CHECK(heap.knows_gap() == (heap.true_gaps() > 0));
  CHECK_FALSE(map.full());
}

TEST_CASE("A team that is never called goes home") {
  WalkTeam team(
      2, [](const char*, std::function<void()> body) { return std::thread(std::move(body)); });
  CHECK(team.members() == 3);
}

TEST_CASE("A walk does without helpers that cannot be had") {
  WalkTeam team(2, [](const char*, const std::function<void()>&) { return std::thread(); });
  CHECK(team.members() == 1);
  int calls = 0;
  team.run([&](std::size_t member) {
    CHECK(member == 0);
    ++calls;
  });
  CHECK(calls == 1);
}

}  // namespace ddm
