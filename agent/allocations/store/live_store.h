// The objects that are followed and not known to have died: 18 bytes each, in chunks whose memory
// is taken as they fill and given back whole.
//
// One thread at a time; whoever looks through the chunks takes them out for that time, and what is
// added meanwhile goes to others. Looking through packs those that stay: no holes are left. Some
// chunks that are empty then are kept for what is added next: new memory costs 10 ns an object.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "allocations/store/live_ages.h"
#include "core/reserved_array.h"

namespace ddm {

using SiteNumber = std::uint32_t;  // of a SiteTable

// The weak handle of an object, as a number that fits into kBits; 0: the object is not followed.
struct WeakHandle {
  static constexpr unsigned kBits = 45;
  static constexpr bool fits(std::uint64_t number) { return number >> kBits == 0; }
};

// When an object was born, in steps of 4 ms since following began; from 1 on.
class BirthTime {
 public:
  static constexpr std::int64_t kStepMs = 4;
  static constexpr std::uint32_t kMost = (1u << 31) - 1;
  static std::uint32_t of(std::int64_t ms) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ms / kStepMs, 1, kMost));
  }
  static std::int64_t ms(std::uint32_t born) { return born * kStepMs; }
};

struct LiveObject {
  std::uint64_t handle = 0;
  SiteNumber site = 0;
  std::int64_t size = 0;  // a multiple of 8, as all sizes of objects are
  std::uint32_t born = 0;
  BirthGc::Number born_gc = 0;
};

class LiveStore {
 public:
  static constexpr std::size_t kChunk = 65536;  // objects in it
  static constexpr unsigned kSiteBits = 20;
  static constexpr std::size_t kMostSpare = 16;  // empty chunks that are kept: 19 MB

  // | 45 handle | 19 born | and | 32 size / 8 | 20 site | 12 born |; born_gc stands beside it.
  struct Entry {
    std::uint64_t first = 0, second = 0;
    static Entry of(const LiveObject& object) {
      const auto units =
          std::min<std::uint64_t>(static_cast<std::uint64_t>(object.size) / 8, 0xffff'ffffu);
      return {object.handle << 19 | (object.born & 0x7ffffu),
              units << 32 | std::uint64_t{object.site} << 12 | object.born >> 19};
    }
    std::uint64_t handle() const { return first >> 19; }
    SiteNumber site() const { return static_cast<SiteNumber>(second >> 12) << 12 >> 12; }
    LiveObject object(BirthGc::Number born_gc) const {
      return {handle(), site(), static_cast<std::int64_t>(second >> 32) * 8,
              static_cast<std::uint32_t>((first & 0x7ffffu) | (second & 0xfffu) << 19), born_gc};
    }
  };

  class Chunks {
   public:
    std::size_t size() const;
    void append(Chunks more);
    // Keeps those for which `stays(object)` is true, once for each. After pause `gc`. Some time
    // before that their sites are told to `ahead`.
    template <typename Stays, typename Ahead>
    void sift(std::uint64_t gc, Stays stays, Ahead ahead);
    template <typename Stays>
    void sift(std::uint64_t gc, Stays stays) {
      sift(gc, stays, [](SiteNumber) {});
    }
    // Those that are there.
    template <typename Use>
    void for_each(Use use) const {
      for (const auto& chunk : list_) {
        for (std::size_t i = 0; i < chunk->used; ++i) use(chunk->object(i));
      }
    }

   private:
    friend class LiveStore;
    struct Chunk {
      ReservedArray<Entry> entries{kChunk};
      ReservedArray<BirthGc::Number> born_gcs{kChunk};
      std::size_t used = 0;
      LiveObject object(std::size_t i) const { return entries[i].object(born_gcs[i]); }
    };
    using List = std::vector<std::unique_ptr<Chunk>>;
    void clear_from(std::size_t first);

    List list_;
    List spare_;                  // empty ones
    std::size_t spare_room_ = 0;  // for so many
  };

  // False: no memory.
  bool add(const LiveObject& object) {
    if (chunks_.list_.empty() || chunks_.list_.back()->used == kChunk) [[unlikely]] {
      if (!add_chunk()) return false;
    }
    Chunks::Chunk& last = *chunks_.list_.back();
    last.born_gcs[last.used] = object.born_gc;
    last.entries[last.used++] = Entry::of(object);
    return true;
  }
  // Objects that there is room for in the chunks that there are, those that are taken out included.
  std::size_t reserved() const { return (chunks_.list_.size() + taken_) * kChunk; }

  // More than once: what has been added since. All that was taken comes back together.
  Chunks take();
  // The empty ones that are kept.
  Chunks take_spare();
  std::size_t spare() const { return spare_.size(); }
  const Chunks& added() const { return chunks_; }  // and not taken
  void give_back(Chunks chunks);

 private:
  bool add_chunk();

  Chunks chunks_;
  Chunks::List spare_;
  std::size_t taken_ = 0;  // chunks that are out
};

template <typename Stays, typename Ahead>
void LiveStore::Chunks::sift(std::uint64_t gc, Stays stays, Ahead ahead) {
  constexpr std::size_t kAhead = 8;
  std::size_t to = 0, at = 0;  // where the next one that stays goes
  for (const auto& chunk : list_) {
    const std::size_t used = chunk->used;
    for (std::size_t i = 0; i < used; ++i) {
      if (i + kAhead < used) ahead(chunk->entries[i + kAhead].site());
      const Entry entry = chunk->entries[i];
      const BirthGc::Number born_gc = BirthGc::kept(chunk->born_gcs[i], gc);
      if (!stays(entry.object(born_gc))) continue;
      if (at == kChunk) {
        list_[to++]->used = kChunk;
        at = 0;
      }
      list_[to]->born_gcs[at] = born_gc;
      list_[to]->entries[at++] = entry;
    }
  }
  if (list_.empty()) return;
  list_[to]->used = at;
  clear_from(at > 0 ? to + 1 : to);
}

}  // namespace ddm
