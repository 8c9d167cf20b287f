// The walk's class table: by class word, the size of a class's objects and their state in the map.
//
// Filled before the safepoint; find() and size_of(), used there, do not allocate. Not thread-safe
// while it is filled.
#pragma once

#include <cstddef>
#include <vector>

#include "vm/memory/object_layout.h"

namespace ddm {

enum class SizeForm : std::uint8_t {
  kFixed,       // `bytes`
  kArray,       // `bytes` of header, then elements of 1 << shift
  kClass,       // a java.lang.Class, which contains its own size
  kStackChunk,  // `bytes`, then a stack and a bitmap with a bit per possible oop
};

struct KlassCell {
  std::uint64_t key = 0;
  std::uint32_t bytes = 0;
  std::uint32_t length_mask = 0;  // of the array length; 0 for non-arrays; set by the table
  SizeForm form = SizeForm::kFixed;
  std::uint8_t shift = 0;
  std::uint8_t state = 0;            // of the map, without the partial bit
  std::uint32_t number = kNoNumber;  // index in KlassReader::classes()

  static constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};
};

class KlassTable {
 public:
  KlassTable();

  void clear();
  // Afterwards this many insertions do not allocate.
  void reserve(std::size_t cells);
  // An existing key keeps its cell.
  void insert(const KlassCell& cell);

  const KlassCell* find(std::uint64_t key) const noexcept {
    for (std::size_t i = slot_of(key);; i = (i + 1) & mask_) {
      if (cells_[i].key == key) return &cells_[i];
      if (cells_[i].key == kNoKey) return nullptr;
    }
  }

 private:
  static constexpr std::uint64_t kNoKey = ~std::uint64_t{0};

  std::size_t slot_of(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>(key ^ key >> 3 ^ key >> 16) &
           mask_;  // klasses are not adjacent
  }
  void grow();

  std::vector<KlassCell> cells_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

// fast_size_of() requires this many readable bytes.
inline constexpr std::uint64_t kFastBytes = 32;

// The size of a plain object or an array, without a branch between the two; other forms need
// size_of(). 0: implausible, not an object of that class.
inline std::uint64_t fast_size_of(const ObjectLayout& layout, const KlassCell& cell,
                                  std::uintptr_t object) noexcept {
  const std::uint64_t length =
      read_at<std::uint32_t>(object + layout.array_length_offset) & cell.length_mask;
  if (__builtin_expect(length > 0x7fffffff, 0)) return 0;
  return layout.align(cell.bytes + (length << cell.shift));
}

// The size of the object; `readable`: bytes from there on. 0: implausible, or not readable.
inline std::uint64_t size_of(const ObjectLayout& layout, const KlassCell& cell,
                             std::uintptr_t object, std::uint64_t readable) noexcept {
  if (cell.form == SizeForm::kFixed) return cell.bytes;
  if (cell.form == SizeForm::kArray) {
    if (readable < cell.bytes) return 0;
    const auto length = read_at<std::uint32_t>(object + layout.array_length_offset);
    if (length > 0x7fffffff) return 0;
    return layout.align(cell.bytes + (std::uint64_t{length} << cell.shift));
  }
  const bool chunk = cell.form == SizeForm::kStackChunk;
  const std::uint32_t offset = chunk ? layout.stack_chunk_size_offset : layout.class_size_offset;
  if (readable < offset + sizeof(std::uint32_t)) return 0;
  const std::uint64_t words = read_at<std::uint32_t>(object + offset);
  if (words > 0x7fffffff) return 0;
  if (!chunk) return words * 8;
  const std::uint64_t bits = words * (8 / layout.oop_bytes);
  return layout.align(cell.bytes + words * 8 + (bits + 63) / 64 * 8);
}

}  // namespace ddm
