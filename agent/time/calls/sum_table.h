// The sums of calls by path: memory is taken for those paths alone that are used, in parts. Parts may
// be another table's, too. One thread adds parts; others may read concurrently.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "core/tick_clock.h"
#include "time/calls/call_paths.h"
#include "time/calls/one_writer.h"

namespace ddm {

struct MethodSum {
  std::uint64_t calls = 0;
  std::uint64_t exceptions = 0;
  Ticks total = 0;
  Ticks self = 0;
  Ticks cpu = 0;

  MethodSum& operator+=(const MethodSum& more) {
    calls += more.calls;
    exceptions += more.exceptions;
    total += more.total;
    self += more.self;
    cpu += more.cpu;
    return *this;
  }
};

class SumTable {
 public:
  struct Sum {
    OneWriter<std::uint64_t> calls, exceptions, total, self, cpu;
  };
  static constexpr std::size_t kSums = 128, kBlocks = 128, kGroups = 36;
  static_assert(kSums * kBlocks * kGroups == CallPaths::kMost);

  template <typename T>
  struct Slot {
    // False: no memory.
    bool own(bool of_all) noexcept {
      owned.reset(new (std::nothrow) T);
      if (owned) refer_to(owned.get(), of_all);
      return owned != nullptr;
    }
    void refer_to(T* part, bool of_all) noexcept {
      common = of_all;
      seen.store(part, std::memory_order_release);
    }

    std::unique_ptr<T> owned;
    std::atomic<T*> seen{nullptr};
    bool common = false;  // written before `seen`
  };
  struct Block {
    std::array<Sum, kSums> sums;
  };
  struct Group {
    std::array<Slot<Block>, kBlocks> blocks;
  };

  Slot<Group>& group_of(PathNumber path) { return groups_[path / (kSums * kBlocks)]; }
  static Slot<Block>& block_of(Group& group, PathNumber path) {
    return group.blocks[path / kSums % kBlocks];
  }

  // Calls `use(PathNumber, MethodSum)` for each path with ended calls: of the common parts, or of
  // the others.
  template <typename Use>
  void for_each(bool common, Use use) const {
    for (std::size_t g = 0; g < kGroups; ++g) {
      const Group* const group = part(groups_[g], common);
      for (std::size_t b = 0; group != nullptr && b < kBlocks; ++b) {
        const Block* const block = part(group->blocks[b], common);
        for (std::size_t s = 0; block != nullptr && s < kSums; ++s) {
          const Sum& sum = block->sums[s];
          const MethodSum read{sum.calls.get(), sum.exceptions.get(), sum.total.get(),
                               sum.self.get(), sum.cpu.get()};
          if (read.calls != 0 || read.self != 0)
            use(static_cast<PathNumber>((g * kBlocks + b) * kSums + s), read);
        }
      }
    }
  }

 private:
  template <typename T>
  static const T* part(const Slot<T>& slot, bool common) {
    const T* const there = slot.seen.load(std::memory_order_acquire);
    return there != nullptr && slot.common == common ? there : nullptr;
  }

  std::array<Slot<Group>, kGroups> groups_;
};

}  // namespace ddm
