// Stacks that have no number of their own: how often each has come up lately, and the number of the
// shortened one that stands for it meanwhile. Four share a set. A newcomer takes the place of the
// one with the fewest hits, of several the one that came first: two that come up in turns do not
// drive each other out. Each newcomer also costs one of the others, in turns, a hit: what no longer
// comes up gives way.
//
// Any thread, no lock. A hit may be lost to another thread, or go to the stack that had the place
// before: numbers are right all the same.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/reserved_array.h"
#include "stack/traces/trace_number.h"

namespace ddm {

class SeldomStacks {
 public:
  struct Known {
    std::uint32_t hits = 0;  // 0: not known
    TraceNumber shortened = kNoTrace;
  };
  static constexpr std::size_t kSets = 4096, kPlaces = 4;  // a set is a line of memory

  bool good() const { return sets_.good(); }

  Known find(std::uint64_t hash) const {
    const Set& set = set_of(hash);
    const auto [at, word] = find_in(set, hash);
    if (word == 0) return {};
    return {std::max<std::uint32_t>(set.hits[at].load(kRelaxed), 1), TraceWord::number(word)};
  }
  // One more of it, if it is known.
  Known hit(std::uint64_t hash) {
    Set& set = set_of(hash);
    const auto [at, word] = find_in(set, hash);
    if (word == 0) return {};
    const std::uint32_t hits = set.hits[at].load(kRelaxed) + 1;
    set.hits[at].store(hits, kRelaxed);
    return {hits, TraceWord::number(word)};
  }
  void put(std::uint64_t hash, const Known& known) {
    Set& set = set_of(hash);
    auto [to, word] = find_in(set, hash);
    if (word == 0) {
      const std::uint32_t came = set.newcomers.load(kRelaxed);
      set.newcomers.store(came + 1, kRelaxed);
      const std::size_t first = to = came % kPlaces;
      for (std::size_t i = 1; i < kPlaces; ++i) {
        const std::size_t at = (first + i) % kPlaces;
        if (set.hits[at].load(kRelaxed) < set.hits[to].load(kRelaxed)) to = at;
      }
      if (const std::uint32_t hits = set.hits[first].load(kRelaxed); hits > 1) {
        set.hits[first].store(hits - 1, kRelaxed);
      }
    }
    set.hits[to].store(known.hits, kRelaxed);
    set.words[to].store(TraceWord::of(hash, known.shortened), std::memory_order_release);
  }
  // It has a number of its own now.
  void forget(std::uint64_t hash) {
    Set& set = set_of(hash);
    const auto [at, word] = find_in(set, hash);
    if (word == 0) return;
    set.words[at].store(0, kRelaxed);
    set.hits[at].store(0, kRelaxed);
  }

 private:
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  struct alignas(64) Set {
    std::array<std::atomic<std::uint64_t>, kPlaces> words{};
    std::array<std::atomic<std::uint32_t>, kPlaces> hits{};
    std::atomic<std::uint32_t> newcomers{0};
  };

  struct Found {
    std::size_t at;
    std::uint64_t word;  // 0: it is not there
  };
  static Found find_in(const Set& set, std::uint64_t hash) {
    for (std::size_t at = 0; at < kPlaces; ++at) {
      const std::uint64_t word = set.words[at].load(std::memory_order_acquire);
      if (word != 0 && TraceWord::is_of(word, hash)) return {at, word};
    }
    return {0, 0};
  }
  Set& set_of(std::uint64_t hash) { return sets_[hash % kSets]; }
  const Set& set_of(std::uint64_t hash) const { return sets_[hash % kSets]; }

  ReservedArray<Set> sets_{kSets};
};

}  // namespace ddm
