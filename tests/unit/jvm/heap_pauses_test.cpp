#include "vm/memory/heap_pauses.h"

#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using namespace ddm;

namespace {

constexpr std::size_t kPageBytes = 4096;

// A page of a heap that loses its memory in pauses.
struct Page {
  Page()
      : words(static_cast<std::atomic<std::uint64_t>*>(mmap(
            nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Page() { munmap(static_cast<void*>(words), kPageBytes); }
  void readable(bool is) const {
    mprotect(static_cast<void*>(words), kPageBytes, is ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
  std::atomic<std::uint64_t>* const words;
};

}  // namespace

TEST_CASE("a pause's number is odd, and each pause has another") {
  HeapPauses pauses;
  const std::uint64_t before = pauses.number();
  CHECK_FALSE(HeapPauses::Reading(pauses).in_pause());
  pauses.begin();
  CHECK(HeapPauses::Reading(pauses).in_pause());
  pauses.begin();  // a pause within a pause is one
  pauses.end();
  CHECK(pauses.number() == before + 2);
  CHECK(HeapPauses::count(pauses.number()) == HeapPauses::count(before) + 1);
}

TEST_CASE("memory that a pause takes away is not read by any thread meanwhile") {
  HeapPauses pauses;
  const Page page;
  std::atomic<bool> stop{false};
  std::atomic<int> in_pause{0}, undisturbed{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        const HeapPauses::Reading reading(pauses);
        if (reading.in_pause()) {
          ++in_pause;
          continue;
        }
        for (std::size_t at = 0; at < kPageBytes / 8; at += 8) page.words[at].load();
        if (reading.undisturbed()) ++undisturbed;
      }
    });
  }
  for (int i = 0; i < 300 || in_pause == 0 || undisturbed == 0; ++i) {
    pauses.begin();
    page.readable(false);  // a read now is a SIGSEGV
    page.readable(true);
    pauses.end();
    if (i % 16 == 0) std::this_thread::yield();
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(pauses.number() % 2 == 0);
}

TEST_CASE("a pause does not wait for ever for a reading, which then knows of the pause") {
  HeapPauses pauses;
  const HeapPauses::Reading reading(pauses);
  CHECK(reading.undisturbed());
  const auto start = std::chrono::steady_clock::now();
  pauses.begin();
  CHECK(std::chrono::steady_clock::now() - start >= HeapPauses::kPatience);
  CHECK_FALSE(reading.undisturbed());
  pauses.end();
  CHECK_FALSE(reading.undisturbed());
}
