// Names for readers after this process has ended: entries appended to one of two halves of a memory
// range. At every moment, after every store, the memory contains all names that were added and not
// dropped: an appended entry counts once `used` includes it, and compaction fills the other half
// before `generation` selects it.
//
// One writer at a time (the callers' lock). Readers may read at any time: if the generation is
// equal before and after, they have read a consistent half.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "stack/names/name_table.h"

namespace ddm {

struct alignas(64) NameSection {
  std::atomic<std::uint64_t> generation{0};  // half number generation % 2 is valid
  std::atomic<std::uint64_t> used[2] = {0, 0};
  std::atomic<std::uint64_t> lost{0};  // names without room
};

// An entry: u4 total bytes, a multiple of 4 | u4 kind | then, each text preceded by u2 = its bytes:
//   class   u4 id | name
//   method  u4 id | u2 native | class | method | signature | file | u2 n | n * (u2 bci, u2 line)
//   thread  u8 id | name
struct NameEntry {
  enum class Kind : std::uint32_t { kClass = 1, kMethod = 2, kThread = 3 };
  Kind kind = Kind::kClass;
  std::int64_t id = 0;
  std::string name;   // kClass, kThread
  MethodName method;  // kMethod
};

std::string encode_class(NameId id, std::string_view name);
std::string encode_method(NameId id, const MethodName& method);
std::string encode_thread(std::int64_t id, std::string_view name);

// Decodes the complete entries at the start of `half`, in order, up to the first invalid one.
void decode_names(std::span<const std::byte> half, const std::function<void(NameEntry&&)>& take);

class NameLog {
 public:
  // `halves`: twice `half_bytes`, after the section.
  NameLog(NameSection& section, std::byte* halves, std::size_t half_bytes)
      : section_(section), halves_(halves), half_bytes_(half_bytes) {}

  // False: no room, and nothing was written.
  bool add(std::string_view entry);
  void count_lost() { section_.lost.fetch_add(1, std::memory_order_relaxed); }

  // Keeps the entries for which `wanted` is true; of a renamed thread, the newest.
  void compact(const std::function<bool(NameEntry::Kind, std::int64_t id)>& wanted);

  std::size_t used() const;
  std::size_t half_bytes() const { return half_bytes_; }

 private:
  std::byte* half(std::uint64_t number) const { return halves_ + number % 2 * half_bytes_; }

  NameSection& section_;
  std::byte* const halves_;
  const std::size_t half_bytes_;
};

// Classes and methods, as reported by a NameTable (under its lock).
class RingNames final : public NameKeeper {
 public:
  explicit RingNames(NameLog log) : log_(log) {}
  void add_class(NameId id, std::string_view type_name) override;
  void add_method(NameId id, const MethodName& method) override;
  void keep_only(const std::function<bool(NameId)>& classes,
                 const std::function<bool(NameId)>& methods) override;

 private:
  NameLog log_;
};

// Thread names. One thread at a time.
class RingThreadNames {
 public:
  // `in_use`: returns the threads of the records in the ring. At most `most` threads are kept. Those
  // added last are, in any case: their first record may not be in the ring yet.
  RingThreadNames(NameLog log, std::size_t most,
                  std::function<std::unordered_set<std::int64_t>()> in_use)
      : log_(log), most_(most), in_use_(std::move(in_use)) {}

  bool holds(std::int64_t id) const { return kept_.contains(id); }
  // True: other threads' names were dropped, and must be added again when they are seen again.
  bool add(std::int64_t id, std::string_view name);

 private:
  struct Kept {
    std::size_t hash = 0;     // of the name
    std::uint64_t added = 0;  // added_ then
  };
  void compact();

  NameLog log_;
  const std::size_t most_;
  const std::function<std::unordered_set<std::int64_t>()> in_use_;
  std::unordered_map<std::int64_t, Kept> kept_;
  std::uint64_t added_ = 0;  // names so far
  int refusals_left_ = 0;    // after a compaction that freed nothing
};

}  // namespace ddm
