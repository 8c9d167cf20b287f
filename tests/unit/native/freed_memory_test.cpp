// What others free comes back to the system, without anybody's asking malloc.
#include "core/freed_memory.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "sanitizers.h"

// A sanitizer's malloc keeps what is freed.
#ifndef DDM_OWN_MALLOC

using namespace ddm;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t kBlock = 600, kBlocks = 100'000;

std::size_t resident() {
  unsigned long size = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  REQUIRE(file != nullptr);
  REQUIRE(std::fscanf(file, "%lu %lu", &size, &resident) == 2);
  std::fclose(file);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// One in a hundred stays, so that malloc cannot give back what lies between them by itself.
class Blocks {
 public:
  Blocks() {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      void* block = std::malloc(kBlock);
      REQUIRE(block != nullptr);
      std::memset(block, 1, kBlock);
      (i % 100 == 0 ? kept_ : others_).push_back(block);
    }
  }
  ~Blocks() {
    free_others();
    for (void* block : kept_) std::free(block);
  }
  void free_others() {
    for (void* block : others_) std::free(block);
    others_.clear();
  }

 private:
  std::vector<void*> kept_, others_;
};

// True: it came below.
bool falls_below(std::size_t bytes) {
  for (int i = 0; i < 600; ++i) {
    if (resident() < bytes) return true;
    std::this_thread::sleep_for(milliseconds(50));
  }
  return false;
}

}  // namespace

TEST_CASE("What is freed after a while is given back to the system") {
  Blocks blocks;
  const std::size_t full = resident();
  FreedMemory memory(milliseconds(20));
  memory.expect();
  std::this_thread::sleep_for(milliseconds(100));
  blocks.free_others();
  CHECK(falls_below(full - kBlock * kBlocks / 2));
}

TEST_CASE("Nothing is given back once nobody expects it") {
  Blocks blocks;
  const std::size_t full = resident();
  FreedMemory memory(milliseconds(200));
  memory.expect();
  memory.expect();  // another one, for the first
  memory.forget();
  memory.forget();
  blocks.free_others();
  std::this_thread::sleep_for(milliseconds(800));
  CHECK(resident() > full - kBlock * kBlocks / 4);
}

#endif
