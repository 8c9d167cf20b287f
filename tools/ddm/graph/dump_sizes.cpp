#include "graph/dump_sizes.h"

#include <algorithm>

namespace ddm {
namespace {

constexpr std::uint64_t kLeastAlignment = 8, kMostAlignment = 256;
constexpr std::uint64_t kEnoughAddresses = 1000;
constexpr std::uint64_t kUsualHeader = 16, kLargestHeader = 24, kGaps = 16;
constexpr std::uint64_t kLargestOfInstance = 16;  // a mark word and a class pointer
constexpr int kMaxClassesAbove = 1000;
constexpr std::uint64_t kMostlyUpwards = 100;     // ascending pairs of addresses per descending one
constexpr std::uint64_t kContendedPadding = 128;  // the VM's ContendedPaddingWidth
constexpr std::size_t kMostOfSample = std::size_t{1} << 19;

// One page of 4 KiB in `share`, a power of 2.
bool is_sampled(std::uint64_t address, std::uint64_t share) {
  return ((address >> 12) * 0x9e3779b97f4a7c15u >> 32 & (share - 1)) == 0;
}

// Primitive elements of up to 4 bytes all begin at the same offset.
std::uint8_t same_header(std::uint8_t element) {
  return element != kHprofReference && hprof_value_bytes(element, 8) < 8 ? kHprofFirstPrimitive
                                                                         : element;
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
  addresses_ |= object.id;
  if (is_sampled(object.id, share_)) sample_.push_back(object);
  if (sample_.size() < kMostOfSample) return;
  share_ *= 2;
  std::erase_if(sample_, [this](const Object& one) { return !is_sampled(one.id, share_); });
  // Only a damaged dump has most of its objects in a few pages.
  if (sample_.size() > kMostOfSample / 4 * 3) sample_.clear();
}

void DumpSizes::finish() {
  if (upwards_ + downwards_ >= kEnoughAddresses) {
    alignment_ = std::clamp(addresses_ & -addresses_, kLeastAlignment, kMostAlignment);
  }
  if (upwards_ <= kMostlyUpwards * downwards_) {
    instances_.clear();
    std::ranges::sort(sample_, {}, &Object::id);
    for (std::size_t i = 1; i < sample_.size(); ++i) {
      note(sample_[i - 1], sample_[i].id - sample_[i - 1].id);
    }
  }
  sample_ = {};
}

void DumpSizes::note(const Object& object, std::uint64_t distance) {
  const auto lower = [](std::uint64_t& least, std::uint64_t value) {
    least = std::min(least, value);
  };
  if (object.kind == HprofReader::kInstance) {
    Distance& known = instances_[object.of];
    if (distance < known.least) known = {distance, 0};
    if (distance == known.least) ++known.times;
  } else if (object.kind == HprofReader::kObjectArray) {
    const std::uint64_t large = std::uint64_t{object.count} * 8, small = large / 2;
    if (distance < large) small_references_ = true;
    if (distance >= large) lower(headers_[kHprofReference], distance - large);
    if (distance >= small) lower(header_of_small_, distance - small);
  } else if (object.kind == HprofReader::kPrimitiveArray) {
    const std::uint64_t elements =
        std::uint64_t{object.count} * hprof_value_bytes(object.element, 8);
    if (distance >= elements) lower(headers_[same_header(object.element)], distance - elements);
  }
}

std::uint64_t DumpSizes::aligned(std::uint64_t bytes) const {
  return (bytes + alignment_ - 1) / alignment_ * alignment_;
}

std::uint32_t DumpSizes::element_bytes(std::uint8_t element) const {
  return element == kHprofReference && small_references_ ? 4 : hprof_value_bytes(element, 8);
}

std::uint64_t DumpSizes::header(std::uint8_t element) const {
  const std::uint64_t least = element == kHprofReference && small_references_
                                  ? header_of_small_
                                  : headers_[same_header(element)];
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
  if (known == instances_.end() || known->second.least < packed) return packed;
  const auto [least, times] = known->second;
  const std::uint64_t gaps = least - packed;
  // Fields have gaps, but not many, and @Contended fields have at least two paddings.
  const bool padded =
      times > 1 && gaps >= 2 * kContendedPadding && gaps % kContendedPadding <= kGaps;
  return gaps <= std::max(kGaps, alignment_) || padded ? least : packed;
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
