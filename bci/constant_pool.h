// The constant pool (JVMS 4.4): read access by index, growth at the end.
//
// Existing entries are never moved, so their indices (including the one-byte index of ldc) stay
// valid. An entry that exists is not added again: HotSpot would drop the duplicate when a class is
// retransformed, and renumber all constants in the class's code. Names are views of the class
// file's bytes (modified UTF-8), which must outlive the pool.
#pragma once

#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bci/bytes.h"
#include "bci/skip_reason.h"

namespace bci {

enum ConstantTag : std::uint8_t {
  kUtf8 = 1,
  kInteger = 3,
  kFloat = 4,
  kLong = 5,
  kDouble = 6,
  kClass = 7,
  kString = 8,
  kFieldref = 9,
  kMethodref = 10,
  kInterfaceMethodref = 11,
  kNameAndType = 12,
  kMethodHandle = 15,
  kMethodType = 16,
  kDynamic = 17,
  kInvokeDynamic = 18,
  kModule = 19,
  kPackage = 20,
};

class ConstantPool {
 public:
  // A field, method or call site: `owner` is an internal name ("java/util/List"), an array
  // descriptor ("[I"), or empty for Dynamic and InvokeDynamic.
  struct Member {
    std::string_view owner, name, descriptor;
  };

  // Reads `count` - 1 entries, as in a class file after constant_pool_count, or as returned by
  // JVMTI's GetConstantPool. nullopt on failure, with the reason in `why`.
  static std::optional<ConstantPool> parse(ByteReader& in, std::uint16_t count, SkipReason& why);

  // constant_pool_count: highest index + 1.
  std::uint16_t count() const { return static_cast<std::uint16_t>(offsets_.size() + added_count_); }
  // Tag of an original entry; 0 for an index out of range, 0 itself, and the second half of a
  // long or double.
  std::uint8_t tag(std::uint16_t index) const;
  // Empty, or nullopt, if the entry is of another kind.
  std::string_view utf8(std::uint16_t index) const;
  std::string_view class_name(std::uint16_t index) const;
  std::optional<Member> member(std::uint16_t index) const;

  // Index of a new or an existing entry; 0: the pool is full.
  std::uint16_t add_utf8(std::string_view text);
  std::uint16_t add_class(std::string_view name) { return add_reference(kClass, add_utf8(name)); }
  std::uint16_t add_string(std::string_view text) {  // modified UTF-8
    return add_reference(kString, add_utf8(text));
  }
  std::uint16_t add_integer(std::int32_t value);
  std::uint16_t add_long(std::int64_t value) {
    return add_eight_bytes(kLong, static_cast<std::uint64_t>(value));
  }
  std::uint16_t add_double(double value) {
    return add_eight_bytes(kDouble, std::bit_cast<std::uint64_t>(value));
  }
  std::uint16_t add_field(std::string_view owner, std::string_view name,
                          std::string_view descriptor) {
    return add_member(kFieldref, owner, name, descriptor);
  }
  std::uint16_t add_method(std::string_view owner, std::string_view name,
                           std::string_view descriptor) {
    return add_member(kMethodref, owner, name, descriptor);
  }
  // Like add_class, but returns an original entry of that name if there is one.
  std::uint16_t find_or_add_class(std::string_view name);

  ByteSpan added_bytes() const { return added_.bytes(); }

 private:
  const std::uint8_t* payload(std::uint16_t index) const { return &bytes_[offsets_[index] + 1u]; }
  std::uint16_t find_original(ByteSpan entry) const;  // 0: none
  std::uint16_t add_entry(const ByteWriter& entry, std::uint32_t indices = 1);
  std::uint16_t add_reference(ConstantTag tag, std::uint16_t index);
  std::uint16_t add_eight_bytes(ConstantTag tag, std::uint64_t value);
  std::uint16_t add_member(ConstantTag tag, std::string_view owner, std::string_view name,
                           std::string_view descriptor);
  std::uint16_t add_pair(ConstantTag tag, std::uint16_t first, std::uint16_t second);

  ByteSpan bytes_;
  std::vector<std::uint32_t> offsets_;  // of the tag byte; kNoEntry: no entry
  ByteWriter added_;
  std::uint32_t added_count_ = 0;
  // Bytes of a requested entry -> index, including original entries.
  std::unordered_map<std::string, std::uint16_t> added_index_;
  // The first original Class entry of each name; built at first use.
  std::optional<std::unordered_map<std::string_view, std::uint16_t>> classes_;
};

}  // namespace bci
