// The followed objects not known to be dead: 18 bytes each, in chunks whose memory is committed as
// they fill and freed as a whole.
//
// One thread at a time; a sweep takes the chunks out, and objects added meanwhile go to new chunks.
// A sweep compacts the survivors without gaps. Some of the empty chunks are kept for new objects,
// since new memory costs 10 ns per object.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "allocations/store/live_ages.h"
#include "core/reserved_array.h"

namespace ddm {

using SiteNumber = std::uint32_t;  // index in a SiteTable

// An object's weak handle as a number of kBits; 0: not followed.
struct WeakHandle {
  static constexpr unsigned kBits = 45;
  static constexpr bool fits(std::uint64_t number) { return number >> kBits == 0; }
};

// An object's birth in units of 4 ms since following began; from 1 on.
struct BirthTime {
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
  std::int64_t size = 0;  // a multiple of 8, like all object sizes
  std::uint32_t born = 0;
  BirthGc::Number born_gc = 0;
};

class LiveStore {
 public:
  static constexpr std::size_t kChunk = 65536;  // objects per chunk
  static constexpr unsigned kSiteBits = 20;
  static constexpr std::size_t kMostSpare = 16;  // empty chunks kept: 19 MB

  // | 45 handle | 19 born | and | 32 size / 8 | 20 site | 12 born |; born_gc is stored separately.
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
    // Removes the objects for which `stays(object)` is false; calls it once per object, as of pause
    // `gc`. `ahead` is called with an object's site some time before that.
    template <typename Stays, typename Ahead = void (*)(SiteNumber)>
    void sift(
        std::uint64_t gc, Stays stays, Ahead ahead = [](SiteNumber) {}) {
      constexpr std::size_t kAhead = 8;
      std::size_t to = 0, at = 0;  // position for the next survivor
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
    // All objects.
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
    std::size_t most_spare_ = 0;  // limit for them
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
  // Capacity of all chunks, including those taken out.
  std::size_t reserved() const { return (chunks_.list_.size() + taken_) * kChunk; }

  // Takes all chunks out, repeatedly for those added since; all are given back together.
  Chunks take();
  // Takes the spare chunks.
  Chunks take_spare();
  std::size_t spare() const { return spare_.size(); }
  const Chunks& added() const { return chunks_; }  // since take()
  void give_back(Chunks chunks);

 private:
  bool add_chunk();

  Chunks chunks_;
  Chunks::List spare_;
  std::size_t taken_ = 0;  // number of chunks taken out
};

}  // namespace ddm
