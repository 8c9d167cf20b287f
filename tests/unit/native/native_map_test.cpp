// The map of this very process's malloc, against what malloc says of itself.
#include "native/malloc/native_map.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "native/malloc/glibc_malloc.h"
#include "native/malloc/mapped_blocks.h"
#include "sanitizers.h"

using namespace ddm;

// The sanitizers have mallocs of their own.
#ifndef DDM_OWN_MALLOC

namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Free>;

std::uint64_t seed = 1;
std::size_t random_below(std::size_t limit) {
  seed = seed * 6364136223846793005 + 1442695040888963407;
  return (seed >> 33) % limit;
}

const Block* block_of(const NativeMap& map, const void* memory) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(memory);
  const auto behind = std::upper_bound(
      map.blocks.begin(), map.blocks.end(), address,
      [](std::uintptr_t value, const Block& block) { return value < block.address; });
  if (behind == map.blocks.begin() || std::prev(behind)->end() <= address) return nullptr;
  return &*std::prev(behind);
}

std::vector<Memory> blocks_of_many_sizes(std::size_t count) {
  std::vector<Memory> blocks;
  for (std::size_t i = 0; i < count; ++i) blocks.emplace_back(std::malloc(random_below(400)));
  // Holes, too small for one another.
  for (std::size_t i = 0; i < count; i += 3) blocks[i].reset();
  return blocks;
}

// Within 1 % of what malloc says. Its "in use" has the threads' caches, its "free" the fastbins.
void check_totals(const NativeMap& map) {
  const struct mallinfo2 truth = mallinfo2();
  const auto all = static_cast<double>(truth.arena + truth.hblkhd);
  const auto total = static_cast<double>(map.used_bytes + map.free_bytes + map.cached_bytes);
  CHECK(total == Approx(all).epsilon(0.01));
  CHECK(static_cast<double>(map.mapped_bytes) ==
        Approx(static_cast<double>(truth.hblkhd)).epsilon(0.01));
  const auto cached = static_cast<double>(map.cached_bytes);
  CHECK(std::abs(static_cast<double>(map.used_bytes) -
                 static_cast<double>(truth.uordblks + truth.hblkhd)) <= 0.01 * all + cached);
  CHECK(std::abs(static_cast<double>(map.free_bytes) - static_cast<double>(truth.fordblks)) <=
        0.01 * all + cached);
}

}  // namespace

TEST_CASE("the map of the main arena has malloc's totals, and every block as it is") {
  std::vector<Memory> blocks = blocks_of_many_sizes(200'000);
  const NativeMap map = read_native_map();
  REQUIRE(map.recognised);
  CHECK(map.lost_bytes == 0);
  check_totals(map);
  std::size_t wrong = 0;
  for (const Memory& memory : blocks) {
    if (!memory) continue;
    const Block* block = block_of(map, memory.get());
    wrong += block == nullptr || block->state() != BlockState::kUsed ||
                     block->address + 16 != reinterpret_cast<std::uintptr_t>(memory.get()) ||
                     block->bytes != malloc_usable_size(memory.get()) + 8
                 ? 1
                 : 0;
  }
  CHECK(wrong == 0);
}

TEST_CASE("blocks are in ascending order and do not overlap") {
  const std::vector<Memory> blocks = blocks_of_many_sizes(10'000);
  const NativeMap map = read_native_map();
  REQUIRE(map.recognised);
  const auto overlap =
      std::adjacent_find(map.blocks.begin(), map.blocks.end(),
                         [](const Block& a, const Block& b) { return a.end() > b.address; });
  CHECK(overlap == map.blocks.end());
}

TEST_CASE("what a torn walk read twice is on the map once") {
  BlockList blocks;
  blocks.emplace_back(0x1000, 0x100, BlockState::kUsed);
  blocks.emplace_back(0x1080, 0x200, BlockState::kFree);
  blocks.emplace_back(0x1100, 0x40, BlockState::kUsed);
  CHECK(drop_overlaps(&blocks) == 0x200);
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[1].address == 0x1100);
}

TEST_CASE("the arenas of threads are on the map") {
  std::vector<Memory> kept[3];
  std::atomic<int> ready{0};
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (std::vector<Memory>& mine : kept) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200'000; ++i) mine.emplace_back(std::malloc(500));  // several heaps
      ++ready;
      while (!done) std::this_thread::yield();
    });
  }
  while (ready < 3) std::this_thread::yield();
  const NativeMap map = read_native_map();
  check_totals(map);
  done = true;
  for (std::thread& thread : threads) thread.join();
  REQUIRE(map.recognised);
  std::size_t wrong = 0;
  for (const std::vector<Memory>& mine : kept) {
    for (const Memory& memory : mine) {
      const Block* block = block_of(map, memory.get());
      wrong += block == nullptr || block->state() != BlockState::kUsed ||
               block->bytes != malloc_usable_size(memory.get()) + 8;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("blocks with mappings of their own are found, aligned ones too") {
  std::vector<Memory> blocks;
  for (std::size_t i = 0; i < 20; ++i) blocks.emplace_back(std::malloc(40'000'000 + i * 123'457));
  for (const std::size_t alignment : {64, 4096}) {
    void* memory = nullptr;
    REQUIRE(posix_memalign(&memory, alignment, 40'000'000) == 0);
    blocks.emplace_back(memory);
  }
  const NativeMap map = read_native_map();
  REQUIRE(map.recognised);
  CHECK(map.missing_bytes == 0);
  for (const Memory& memory : blocks) {
    const Block* block = block_of(map, memory.get());
    REQUIRE(block != nullptr);
    CHECK(block->state() == BlockState::kUsed);
    CHECK(block->bytes >= 40'000'000);
  }
  check_totals(map);
}

TEST_CASE("blocks that the kernel has joined with an arena's heap are found") {
  // Pages of one mapping: a block of 3, one of 2, the heap of 4, a block of 5, a page of no block.
  constexpr std::uint64_t kPage = 4096;
  const auto at = reinterpret_cast<std::uintptr_t>(
      mmap(nullptr, 15 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const auto make_block = [&](std::uint64_t page, std::uint64_t pages) {
    reinterpret_cast<std::uint64_t*>(at + page * kPage)[1] = pages * kPage | kBlockIsMapped;
  };
  make_block(0, 3);
  make_block(3, 2);
  make_block(9, 5);
  Mapping mapping;
  mapping.begin = at;
  mapping.end = at + 15 * kPage;
  mapping.readable = mapping.writable = true;
  BlockList taken;
  taken.emplace_back(at + 5 * kPage + 0x8d0, kPage, BlockState::kUsed);
  taken.emplace_back(taken[0].end(), at + 9 * kPage - taken[0].end(), BlockState::kFree);
  BlockList blocks;
  CHECK(find_mapped_blocks({mapping}, taken, 10 * kPage, &blocks) == 10 * kPage);
  CHECK(blocks.size() == 3);
  munmap(reinterpret_cast<void*>(at), 15 * kPage);
}

TEST_CASE("what malloc keeps in a thread's cache or in fastbins is not in use") {
  constexpr std::size_t kBytes =
      120;                  // fastbins' largest: reading the map takes smaller ones itself
  (void)read_native_map();  // and for the first time larger ones
  std::vector<Memory> blocks;
  for (int i = 0; i < 60; ++i) blocks.emplace_back(std::malloc(kBytes));
  std::vector<const void*> freed;
  // Every other one, or neighbours would be joined. Seven fit into the cache, the rest is fastbins.
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    freed.push_back(blocks[i].get());
    blocks[i].reset();
  }
  const NativeMap map = read_native_map();
  REQUIRE(map.recognised);
  for (const void* memory : freed) {
    const Block* block = block_of(map, memory);
    REQUIRE(block != nullptr);
    // The reading keeps names of mappings: malloc may cut a freed block into pieces for them.
    const bool whole = block->bytes >= kBytes;
    CHECK_FALSE((whole && block->state() == BlockState::kUsed));
  }
  for (std::size_t i = 1; i < blocks.size(); i += 2) {
    const Block* block = block_of(map, blocks[i].get());
    REQUIRE(block != nullptr);
    CHECK(block->state() == BlockState::kUsed);
  }
}

TEST_CASE("a broken header costs the map a stretch, not the rest") {
  std::vector<Memory> blocks;
  for (int i = 0; i < 1000; ++i) blocks.emplace_back(std::malloc(200));
  auto* header = static_cast<std::uint64_t*>(blocks[500].get()) - 1;
  const std::uint64_t right = *header;
  for (const std::uint64_t wrong :
       {std::uint64_t{0}, std::uint64_t{0x4141414141414141}, right + 32}) {
    *header = wrong;
    const NativeMap map = read_native_map();
    *header = right;
    REQUIRE(map.recognised);
    CHECK(map.lost_bytes > 0);
    CHECK(map.lost_bytes < 4096);
    check_totals(map);
    CHECK(block_of(map, blocks[990].get())->bytes == malloc_usable_size(blocks[990].get()) + 8);
  }
}

TEST_CASE("maps of a malloc that threads are changing are read without harm") {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      std::vector<Memory> mine(5000);
      std::uint64_t at = static_cast<std::uint64_t>(t);
      while (!done) {
        at = at * 6364136223846793005 + 1442695040888963407;
        mine[(at >> 20) % mine.size()].reset(std::malloc((at >> 40) % 2000));
        if ((at >> 50) % 4096 == 0) mine[0].reset(std::malloc(1'000'000));
      }
    });
  }
  for (int i = 0; i < 30; ++i) {
    const NativeMap map = read_native_map();
    REQUIRE(map.recognised);
    REQUIRE(map.used_bytes > 0);
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  check_totals(read_native_map());
}

#endif
