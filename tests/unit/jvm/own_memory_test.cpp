#include "core/own_memory.h"

#include <sys/mman.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>

#include "wire/chunks/mappings.h"

using namespace ddm;

namespace {

// Three pages, the last of which is gone.
class TwoPages {
 public:
  TwoPages()
      : begin_(static_cast<std::byte*>(
            mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(begin_ + 2 * kPage, kPage, PROT_NONE);
  }
  ~TwoPages() { munmap(begin_, 3 * kPage); }
  std::uintptr_t at(std::size_t offset) const {
    return reinterpret_cast<std::uintptr_t>(begin_) + offset;
  }
  void write(std::size_t offset, std::uint64_t value) {
    std::memcpy(begin_ + offset, &value, sizeof value);
  }

 private:
  std::byte* const begin_;
};

}  // namespace

TEST_CASE("memory that is there is read, memory that is not is an error") {
  TwoPages pages;
  pages.write(2 * kPage - 8, 42);
  std::uint64_t value = 0;
  errno = 77;
  CHECK(read_own_memory(pages.at(2 * kPage - 8), &value, sizeof value));
  CHECK(value == 42);
  CHECK_FALSE(read_own_memory(pages.at(2 * kPage - 4), &value, sizeof value));
  CHECK_FALSE(read_own_memory(pages.at(2 * kPage), &value, sizeof value));
  CHECK_FALSE(read_own_memory(8, &value, sizeof value));
  CHECK(errno == 77);
}

TEST_CASE("a window reads up to where the memory ends, also across pages") {
  TwoPages pages;
  pages.write(0, 1);
  pages.write(kPage - 4, 2);
  pages.write(2 * kPage - 8, 3);
  for (const std::size_t block : {kPage, 16 * kPage}) {
    MemoryWindow window(block);
    CHECK(window.read<std::uint64_t>(pages.at(kPage - 4)) == 2);
    CHECK(window.read<std::uint64_t>(pages.at(2 * kPage - 8)) == 3);
    CHECK_FALSE(window.read<std::uint64_t>(pages.at(2 * kPage - 7)));
    CHECK_FALSE(window.read<std::uint64_t>(pages.at(2 * kPage)));
    CHECK(window.read<std::uint64_t>(pages.at(0)) == 1);
    CHECK_FALSE(window.read<std::uint64_t>(~std::uintptr_t{0} - 3));
  }
}

TEST_CASE("this process has a stack and this program among its mappings") {
  const auto mappings = parse_mappings(read_maps_text());
  const int local = 0;
  const Mapping* stack = find_mapping(mappings, reinterpret_cast<std::uintptr_t>(&local));
  REQUIRE(stack != nullptr);
  CHECK(stack->writable);
  const Mapping* code = find_mapping(mappings, reinterpret_cast<std::uintptr_t>(&parse_mappings));
  REQUIRE(code != nullptr);
  CHECK(code->executable);
  CHECK(code->name.ends_with("vm_memory_test"));
}
