// How the VM encodes an object's class and size in memory.
//
// Pure data, accessors for memory that the caller knows to be readable, and detection by the VM's
// tables. `key` is the class word as stored in objects: a narrow klass where the VM compresses
// class pointers, else the Klass address.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ddm {

enum class HeaderForm : std::uint8_t {
  kWide,     // 8 bytes of mark, 8 bytes of klass address
  kNarrow,   // 8 bytes of mark, 4 bytes of compressed klass
  kCompact,  // the compressed klass in the mark's upper bits
};

struct ObjectLayout {
  HeaderForm header = HeaderForm::kNarrow;
  std::uint8_t mark_klass_shift = 0;  // kCompact
  std::uint8_t klass_shift = 0;
  std::uint8_t oop_bytes = 4;
  std::uint32_t alignment = 8;  // of object sizes and addresses
  std::uint32_t klass_offset = 8;
  std::uint32_t array_length_offset = 12;
  std::uint32_t class_size_offset = 0;  // in a java.lang.Class: offset of its size in words
  std::uint32_t stack_chunk_size_offset =
      0;  // in a StackChunk: offset of its stack's size in words; 0: none
  std::uint64_t klass_base = 0;

  std::uint32_t min_object_bytes() const { return header == HeaderForm::kCompact ? 8 : 16; }

  std::uint64_t key_of(std::uint64_t klass) const {
    return header == HeaderForm::kWide ? klass : (klass - klass_base) >> klass_shift;
  }

  std::uint64_t klass_of(std::uint64_t key) const {
    return header == HeaderForm::kWide ? key : klass_base + (key << klass_shift);
  }

  std::uint64_t align(std::uint64_t bytes) const {
    return (bytes + alignment - 1) & ~std::uint64_t{alignment - 1};
  }
};

// Offsets in the VM's class metadata.
struct KlassLayout {
  std::uint32_t layout_helper = 0;  // offset in a Klass
  std::uint32_t mirror_klass = 0;   // offset in a java.lang.Class
  // JDK 28: arrays of references have a klass for each of their properties (flat, null-restricted),
  // and the java.lang.Class has one that no array has.
  bool refined_arrays = false;
};

// The size in bytes by the class's layout helper, and the length for arrays. 0: the layout helper
// does not determine it.
inline std::int64_t size_by_layout_helper(const ObjectLayout& objects, std::int32_t layout_helper,
                                          std::uint64_t length) {
  constexpr std::int32_t kSlowPath =
      1;  // lh_instance_slow_path_bit: the size is not in the layout helper
  if (layout_helper > 0) return (layout_helper & kSlowPath) == 0 ? layout_helper : 0;
  if (layout_helper == 0) return 0;
  const auto helper = static_cast<std::uint32_t>(layout_helper);
  return static_cast<std::int64_t>(
      objects.align((helper >> 16 & 0xff) + (length << (helper & 63))));
}

class VmEntries;

// Missing table entries are recorded in `entries`.
ObjectLayout detect_object_layout(VmEntries& entries);
KlassLayout detect_klass_layout(VmEntries& entries);

template <typename T>
T read_at(std::uintptr_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

template <HeaderForm Form>
std::uint64_t key_at(const ObjectLayout& layout, std::uintptr_t object) {
  if constexpr (Form == HeaderForm::kWide) {
    return read_at<std::uint64_t>(object + layout.klass_offset);
  } else if constexpr (Form == HeaderForm::kNarrow) {
    return read_at<std::uint32_t>(object + layout.klass_offset);
  } else {
    return read_at<std::uint64_t>(object) >> layout.mark_klass_shift;
  }
}

// work(std::integral_constant of the form).
template <typename Work>
auto with_form(HeaderForm form, Work work) {
  switch (form) {
    case HeaderForm::kWide:
      return work(std::integral_constant<HeaderForm, HeaderForm::kWide>{});
    case HeaderForm::kNarrow:
      return work(std::integral_constant<HeaderForm, HeaderForm::kNarrow>{});
    case HeaderForm::kCompact:
      break;
  }
  return work(std::integral_constant<HeaderForm, HeaderForm::kCompact>{});
}

inline std::uint64_t key_at(const ObjectLayout& layout, std::uintptr_t object) {
  return with_form(layout.header, [&](auto form) { return key_at<form()>(layout, object); });
}

}  // namespace ddm
