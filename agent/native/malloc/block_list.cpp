#include "native/malloc/block_list.h"

#include <sys/mman.h>

#include <new>

namespace ddm {
namespace {

class MappedMemory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t) override {
    munmap(memory, bytes);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

}  // namespace

std::uint64_t drop_overlaps(BlockList* blocks) {
  std::uint64_t end = 0;
  std::uint64_t dropped = 0;
  std::erase_if(*blocks, [&](const Block& block) {
    if (block.address < end) {
      dropped += block.bytes;
      return true;
    }
    end = block.end();
    return false;
  });
  return dropped;
}

std::pmr::memory_resource* mapped_memory() {
  static MappedMemory* const memory = new MappedMemory;
  return memory;
}

}  // namespace ddm
