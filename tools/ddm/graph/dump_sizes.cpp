#include "graph/dump_sizes.h"

#include <algorithm>

namespace ddm {
namespace {

constexpr std::uint64_t kAlignment = 8;
constexpr std::uint64_t kUsualHeader = 16, kLargestHeader = 24, kGaps = 16;
constexpr std::uint64_t kLargestOfInstance = 16;  // a mark word and a class pointer
constexpr int kMaxClassesAbove = 1000;
constexpr std::uint64_t kMostlyUpwards = 100;  // ascending pairs of addresses per descending one

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

void DumpSizes::learn(const Object& object) {
  if (object.is_root()) return;
  if (object.kind == HprofReader::kClass) {
    classes_[object.id] = {object.of, object.count};
    return;
  }
  ++(object.id > last_.id ? upwards_ : downwards_);
  if (last_.id != 0 && object.id > last_.id) note(last_, object.id - last_.id);
  last_ = object;
}

void DumpSizes::note(const Object& object, std::uint64_t distance) {
  const auto lower = [](std::uint64_t& least, std::uint64_t value) {
    least = std::min(least, value);
  };
  if (object.kind == HprofReader::kInstance) {
    lower(instances_.try_emplace(object.of, kNone).first->second, distance);
  } else if (object.kind == HprofReader::kObjectArray) {
    const std::uint64_t large = std::uint64_t{object.count} * 8, small = large / 2;
    if (distance < large) small_references_ = true;
    if (distance >= large) lower(headers_[kHprofReference], distance - large);
    if (distance >= small) lower(header_of_small_, distance - small);
  } else if (object.kind == HprofReader::kPrimitiveArray) {
    const std::uint64_t elements =
        std::uint64_t{object.count} * hprof_value_bytes(object.element, 8);
    if (distance >= elements) lower(headers_[object.element], distance - elements);
  }
}

std::uint32_t DumpSizes::element_bytes(std::uint8_t element) const {
  return element == kHprofReference && small_references_ ? 4 : hprof_value_bytes(element, 8);
}

std::uint64_t DumpSizes::header(std::uint8_t element) const {
  const std::uint64_t least =
      element == kHprofReference && small_references_ ? header_of_small_ : headers_[element];
  return least <= kLargestHeader ? least : kUsualHeader;
}

std::uint64_t DumpSizes::bytes_of(const Object& object) const {
  if (object.kind == HprofReader::kClass || object.is_root()) return 0;
  if (object.kind != HprofReader::kInstance) {
    const std::uint64_t elements = std::uint64_t{object.count} * element_bytes(object.element);
    return aligned(header(object.element) + elements);
  }
  const std::uint64_t packed = packed_instance(object);
  const auto known = instances_.find(object.of);
  const bool in_order = upwards_ > kMostlyUpwards * downwards_;
  // Fields have gaps, but not many.
  const bool believed = in_order && known != instances_.end() && known->second <= packed + kGaps;
  return believed ? std::max(known->second, packed) : packed;
}

std::uint64_t DumpSizes::packed_instance(const Object& object) const {
  std::uint64_t references = 0, above = object.of;
  // A damaged dump may have a cycle of superclasses.
  for (int i = 0; small_references_ && i < kMaxClassesAbove; ++i) {
    const auto known = classes_.find(above);
    if (known == classes_.end()) break;
    references += known->second.references;
    above = known->second.super;
  }
  // An array's header also has the length. What was noted for references of 8 bytes says nothing
  // where they have 4.
  std::uint64_t least = small_references_ ? header_of_small_ : headers_[kHprofReference];
  for (std::size_t element = 0; element < headers_.size(); ++element) {
    if (element != kHprofReference) least = std::min(least, headers_[element]);
  }
  const std::uint64_t array =
      least <= kLargestHeader ? std::max<std::uint64_t>(least, 12) : kUsualHeader;
  const std::uint64_t saved = std::min<std::uint64_t>(4 * references, object.count);
  // Where class pointers have 8 bytes, an array's header may end in a gap of 4 bytes, or of none.
  const std::uint64_t header = std::min(array - 4, kLargestOfInstance);
  return aligned(header + object.count - saved);
}

}  // namespace ddm
