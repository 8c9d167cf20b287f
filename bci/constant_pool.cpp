#include "bci/constant_pool.h"

#include <algorithm>

namespace bci {
namespace {

constexpr std::uint32_t kNoEntry = 0xffffffff;
constexpr std::uint32_t kMaxCount = 0xffff;
// Far above what hooks add; larger patches skip the search, which would compare each entry with a
// large pool.
constexpr std::size_t kMostSearched = 64;

// Bytes after the tag; Utf8 has its own length; 0 = unknown tag.
std::size_t payload_size(std::uint8_t tag) {
  switch (tag) {
    case kUtf8:
    case kClass:
    case kString:
    case kMethodType:
    case kModule:
    case kPackage:
      return 2;
    case kMethodHandle:
      return 3;
    case kInteger:
    case kFloat:
    case kFieldref:
    case kMethodref:
    case kInterfaceMethodref:
    case kNameAndType:
    case kDynamic:
    case kInvokeDynamic:
      return 4;
    case kLong:
    case kDouble:
      return 8;
    default:
      return 0;
  }
}

}  // namespace

std::optional<ConstantPool> ConstantPool::parse(ByteReader& in, std::uint16_t count,
                                                SkipReason& why) {
  ConstantPool pool;
  pool.offsets_.assign(count == 0 ? 1u : count, kNoEntry);
  ByteReader lookahead = in;
  std::uint32_t index = 1;
  while (index < count && in.ok()) {
    pool.offsets_[index] = static_cast<std::uint32_t>(in.position() - lookahead.position());
    const std::uint8_t tag = in.u1();
    if (!in.ok()) break;
    const std::size_t size = payload_size(tag);
    if (size == 0) {
      why = SkipReason::kUnknownConstant;
      return std::nullopt;
    }
    if (tag == kUtf8) {
      in.skip(in.u2());
    } else {
      in.skip(size);
    }
    index += tag == kLong || tag == kDouble ? 2 : 1;
  }
  if (!in.ok() || count == 0 || index != count) {
    why = SkipReason::kNotAClassFile;
    return std::nullopt;
  }
  pool.bytes_ = lookahead.take(in.position() - lookahead.position());
  return pool;
}

std::uint8_t ConstantPool::tag(std::uint16_t index) const {
  if (index >= offsets_.size() || offsets_[index] == kNoEntry) return 0;
  return bytes_[offsets_[index]];
}

std::string_view ConstantPool::utf8(std::uint16_t index) const {
  if (tag(index) != kUtf8) return {};
  const std::uint8_t* at = payload(index);
  return {reinterpret_cast<const char*>(at + 2), read_u2(at)};
}

std::string_view ConstantPool::class_name(std::uint16_t index) const {
  if (tag(index) != kClass) return {};
  return utf8(read_u2(payload(index)));
}

std::optional<ConstantPool::Member> ConstantPool::member(std::uint16_t index) const {
  Member member;
  switch (tag(index)) {
    case kFieldref:
    case kMethodref:
    case kInterfaceMethodref:
      member.owner = class_name(read_u2(payload(index)));
      break;
    case kDynamic:
    case kInvokeDynamic:
      break;
    default:
      return std::nullopt;
  }
  const std::uint16_t name_and_type = read_u2(payload(index) + 2);
  if (tag(name_and_type) != kNameAndType) return std::nullopt;
  member.name = utf8(read_u2(payload(name_and_type)));
  member.descriptor = utf8(read_u2(payload(name_and_type) + 2));
  return member;
}

std::uint16_t ConstantPool::find_original(ByteSpan entry) const {
  for (std::size_t index = 1; index < offsets_.size(); ++index) {
    const std::size_t at = offsets_[index];
    if (at == kNoEntry || bytes_[at] != entry[0] || entry.size() > bytes_.size() - at) continue;
    if (std::equal(entry.begin(), entry.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(at))) {
      return static_cast<std::uint16_t>(index);
    }
  }
  return 0;
}

std::uint16_t ConstantPool::add_entry(const ByteWriter& entry, std::uint32_t indices) {
  const Bytes& bytes = entry.bytes();
  std::string key(bytes.begin(), bytes.end());
  if (auto known = added_index_.find(key); known != added_index_.end()) return known->second;
  if (added_index_.size() < kMostSearched) {
    if (const std::uint16_t original = find_original(bytes); original != 0) {
      added_index_.emplace(std::move(key), original);
      return original;
    }
  }
  if (offsets_.size() + added_count_ + indices > kMaxCount) return 0;
  const std::uint16_t index = count();
  added_.append(bytes);
  added_count_ += indices;
  added_index_.emplace(std::move(key), index);
  return index;
}

std::uint16_t ConstantPool::add_pair(ConstantTag tag, std::uint16_t first, std::uint16_t second) {
  if (first == 0 || second == 0) return 0;
  return add_entry(ByteWriter().u1(tag).u2(first).u2(second));
}

std::uint16_t ConstantPool::add_utf8(std::string_view text) {
  if (text.size() > 0xffff) return 0;
  const ByteSpan bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return add_entry(
      ByteWriter().u1(kUtf8).u2(static_cast<std::uint32_t>(text.size())).append(bytes));
}

std::uint16_t ConstantPool::add_reference(ConstantTag tag, std::uint16_t index) {
  return index == 0 ? std::uint16_t{0} : add_entry(ByteWriter().u1(tag).u2(index));
}

std::uint16_t ConstantPool::find_or_add_class(std::string_view name) {
  if (!classes_) {
    classes_.emplace();
    for (std::uint32_t index = 1; index < offsets_.size(); ++index) {
      const auto candidate = static_cast<std::uint16_t>(index);
      if (tag(candidate) == kClass) classes_->try_emplace(class_name(candidate), candidate);
    }
  }
  const auto known = classes_->find(name);
  return known != classes_->end() ? known->second : add_class(name);
}

std::uint16_t ConstantPool::add_integer(std::int32_t value) {
  return add_entry(ByteWriter().u1(kInteger).u4(static_cast<std::uint32_t>(value)));
}

std::uint16_t ConstantPool::add_eight_bytes(ConstantTag tag, std::uint64_t value) {
  const auto high = static_cast<std::uint32_t>(value >> 32);
  return add_entry(ByteWriter().u1(tag).u4(high).u4(static_cast<std::uint32_t>(value)), 2);
}

std::uint16_t ConstantPool::add_member(ConstantTag tag, std::string_view owner,
                                       std::string_view name, std::string_view descriptor) {
  const std::uint16_t name_index = add_utf8(name);
  const std::uint16_t descriptor_index = add_utf8(descriptor);
  return add_pair(tag, add_class(owner), add_pair(kNameAndType, name_index, descriptor_index));
}

}  // namespace bci
