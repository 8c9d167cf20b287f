// Sums of ended calls by path, for one OS thread. Only that thread adds; others may read
// concurrently.
#pragma once

#include <array>
#include <atomic>
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

class MethodSums {
 public:
  struct Sum {
    OneWriter<std::uint64_t> calls, exceptions, total, self, cpu;
  };

  // `path` is one of CallPaths. Null: out of memory.
  Sum* of(PathNumber path) noexcept {
    Group* const group = own(groups_[path / (kSums * kBlocks)]);
    Block* const block = group != nullptr ? own(group->blocks[path / kSums % kBlocks]) : nullptr;
    return block != nullptr ? &block->sums[path % kSums] : nullptr;
  }

  // Calls `use(PathNumber, MethodSum)` for each path with ended calls.
  template <typename Use>
  void for_each(Use use) const {
    for (std::size_t g = 0; g < kGroups; ++g) {
      const Group* const group = groups_[g].seen.load(std::memory_order_acquire);
      for (std::size_t b = 0; group != nullptr && b < kBlocks; ++b) {
        const Block* const block = group->blocks[b].seen.load(std::memory_order_acquire);
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
  static constexpr std::size_t kSums = 128, kBlocks = 128, kGroups = 36;
  static_assert(kSums * kBlocks * kGroups == CallPaths::kMost);

  template <typename T>
  struct Slot {
    std::unique_ptr<T> owned;
    std::atomic<T*> seen{nullptr};
  };
  struct Block {
    std::array<Sum, kSums> sums;
  };
  struct Group {
    std::array<Slot<Block>, kBlocks> blocks;
  };

  template <typename T>
  static T* own(Slot<T>& slot) noexcept {
    T* there = slot.seen.load(std::memory_order_relaxed);
    if (there == nullptr) [[unlikely]] {
      slot.owned.reset(there = new (std::nothrow) T);
      slot.seen.store(there, std::memory_order_release);
    }
    return there;
  }

  std::array<Slot<Group>, kGroups> groups_;
};

}  // namespace ddm
