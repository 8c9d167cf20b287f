#include "report/hprof/hprof_reader.h"

#include <fmt/format.h>

#include <string_view>

namespace ddm {

bool HprofReader::open() {
  constexpr std::uint64_t kMostMagic = 64;
  constexpr std::string_view kAnyMagic = "JAVA PROFILE 1.0.";
  std::string magic;
  while (magic.size() < kMostMagic) {
    const std::uint8_t next = bytes_.byte();
    if (next == 0) break;
    magic += static_cast<char>(next);
  }
  id_bytes_ = static_cast<std::uint32_t>(bytes_.integer(4));
  bytes_.integer(8);
  end_ = bytes_.position();
  const bool known =
      bytes_.good() && magic.starts_with(kAnyMagic) && (id_bytes_ == 4 || id_bytes_ == 8);
  if (!known) problem_ = "this is no heap dump (hprof)";
  return known;
}

std::nullopt_t HprofReader::damaged() {
  if (problem_.empty()) problem_ = fmt::format("damaged at byte {}", bytes_.position());
  return std::nullopt;
}

std::optional<HprofReader::Record> HprofReader::next() {
  if (!problem_.empty()) return std::nullopt;
  if (bytes_.position() > end_) return damaged();
  bytes_.skip(left());
  if (bytes_.at_end()) {
    if (!bytes_.holds(end_)) problem_ = "it ends in the middle of a record";
    return std::nullopt;
  }
  Record record;
  record.tag = bytes_.byte();
  bytes_.integer(4);
  record.length = bytes_.integer(4);
  if (!bytes_.good()) return damaged();
  object_end_ = bytes_.position();
  end_ = object_end_ + record.length;
  return record;
}

std::optional<HprofReader::Object> HprofReader::next_object() {
  if (!problem_.empty()) return std::nullopt;
  if (bytes_.position() < object_end_) bytes_.skip(object_end_ - bytes_.position());
  if (bytes_.position() == end_) return std::nullopt;
  Object object;
  object.kind = bytes_.byte();
  const bool known = read_object(object);
  object_end_ = bytes_.position() + object.rest;
  if (known && bytes_.good() && object_end_ <= end_) return object;
  return damaged();
}

bool HprofReader::read_object(Object& object) {
  object.id = id();
  if (object.is_root()) return read_root(object);
  object.trace = static_cast<std::uint32_t>(bytes_.integer(4));
  switch (object.kind) {
    case kClass:
      read_class(object);
      return true;
    case kInstance:
      object.of = id();
      object.count = static_cast<std::uint32_t>(bytes_.integer(4));
      object.rest = object.count;
      return true;
    case kObjectArray:
      object.count = static_cast<std::uint32_t>(bytes_.integer(4));
      object.of = id();
      object.element = kHprofReference;
      break;
    case kPrimitiveArray:
      object.count = static_cast<std::uint32_t>(bytes_.integer(4));
      object.element = bytes_.byte();
      break;
    default:
      return false;
  }
  const std::uint32_t value = hprof_value_bytes(object.element, id_bytes_);
  object.rest = std::uint64_t{object.count} * value;
  return value != 0 && (object.element != kHprofReference || object.kind == kObjectArray);
}

void HprofReader::read_class(Object& object) {
  object.of = id();
  const std::uint64_t loader = id(), signers = id(), domain = id();
  bytes_.skip(2 * std::uint64_t{id_bytes_});
  const auto instance_bytes = static_cast<std::uint32_t>(bytes_.integer(4));
  if (details_ != nullptr) *details_ = {loader, signers, domain, instance_bytes, {}, {}};
  for (auto n = bytes_.integer(2); n > 0 && bytes_.good(); --n) {  // the constant pool
    bytes_.skip(2);
    const std::uint8_t type = bytes_.byte();
    bytes_.skip(hprof_value_bytes(type, id_bytes_));
  }
  for (auto n = bytes_.integer(2); n > 0 && bytes_.good(); --n) {
    Field field{id(), bytes_.byte(), 0};
    field.value = bytes_.integer(hprof_value_bytes(field.type, id_bytes_));
    if (details_ != nullptr) details_->statics.push_back(field);
  }
  for (auto n = bytes_.integer(2); n > 0 && bytes_.good(); --n) {
    const Field field{id(), bytes_.byte(), 0};
    if (field.type == kHprofReference) ++object.count;
    if (details_ != nullptr) details_->fields.push_back(field);
  }
}

bool HprofReader::read_root(Object& object) {
  const auto number = [this] { return static_cast<std::uint32_t>(bytes_.integer(4)); };
  switch (object.kind) {
    case kJniGlobal:
      object.jni_handle = id();
      return true;
    case kJniLocal:
    case kJavaFrame:
      object.thread = number();
      object.frame = number();
      return true;
    case kThread:
      object.thread = number();
      object.trace = number();
      return true;
    case kNativeStack:
    case kThreadBlock:
      object.thread = number();
      return true;
    case kStickyClass:
    case kMonitor:
    case 0xFF:  // unknown
      return true;
    default:
      return false;
  }
}

}  // namespace ddm
