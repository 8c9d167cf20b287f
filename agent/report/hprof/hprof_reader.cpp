#include "report/hprof/hprof_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace ddm {

std::uint32_t hprof_value_bytes(std::uint8_t type, std::uint32_t id_bytes) {
  constexpr std::uint32_t kBytes[] = {0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8};
  if (type == kHprofReference) return id_bytes;
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

std::string HprofBytes::text(std::uint64_t size) {
  std::string result;
  for (; size > 0 && good_; --size) {
    const auto next = static_cast<char>(byte());
    if (good_) result += next;
  }
  return result;
}

void HprofBytes::skip(std::uint64_t size) {
  while (kept_ != nullptr && size > 0) {
    if (at_ == filled_ && !fill()) return;
    const std::size_t here = std::min<std::uint64_t>(size, filled_ - at_);
    kept_->append(reinterpret_cast<const char*>(&piece_[at_]), here);
    at_ += here;
    size -= here;
  }
  const std::uint64_t here = std::min<std::uint64_t>(size, filled_ - at_);
  at_ += here;
  if (size == here) return;
  begin_ += size - here;
  at_ = filled_ = 0;
}

bool HprofBytes::fill() {
  ssize_t got = 0;
  do {
    got = ::pread(fd_, piece_.data(), piece_.size(), static_cast<off_t>(begin_));
  } while (got < 0 && errno == EINTR);
  if (got <= 0) {
    good_ = false;
    return false;
  }
  filled_ = static_cast<std::size_t>(got);
  at_ = 0;
  begin_ += filled_;
  return true;
}

bool HprofBytes::holds(std::uint64_t bytes) const {
  if (bytes == 0) return true;
  std::uint8_t last = 0;
  return ::pread(fd_, &last, 1, static_cast<off_t>(bytes - 1)) == 1;
}

bool HprofReader::open() {
  constexpr std::uint64_t kMostMagic = 64;
  constexpr std::string_view kMagic = "JAVA PROFILE 1.0.";
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
      bytes_.good() && magic.starts_with(kMagic) && (id_bytes_ == 4 || id_bytes_ == 8);
  if (!known) problem_ = "this is no heap dump (hprof)";
  return known;
}

void HprofReader::damaged() {
  if (problem_.empty()) problem_ = fmt::format("damaged at byte {}", bytes_.position());
}

std::optional<HprofReader::Record> HprofReader::next() {
  if (!problem_.empty()) return std::nullopt;
  if (bytes_.position() > end_) {
    damaged();
    return std::nullopt;
  }
  bytes_.skip(left());
  if (bytes_.at_end()) {
    if (!bytes_.holds(end_)) problem_ = "it ends in the middle of a record";
    return std::nullopt;
  }
  Record record;
  record.tag = bytes_.byte();
  bytes_.integer(4);
  record.length = bytes_.integer(4);
  if (!bytes_.good()) {
    damaged();
    return std::nullopt;
  }
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
  damaged();
  return std::nullopt;
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
  bytes_.skip(5 * std::uint64_t{id_bytes_} + 4);
  const auto values = [this](bool numbered) {
    for (auto n = bytes_.integer(2); n > 0 && bytes_.good(); --n) {
      bytes_.skip(numbered ? 2 : id_bytes_);
      const std::uint8_t type = bytes_.byte();
      bytes_.skip(hprof_value_bytes(type, id_bytes_));
    }
  };
  values(/*numbered=*/true);  // the constant pool
  values(/*numbered=*/false);
  for (auto n = bytes_.integer(2); n > 0 && bytes_.good(); --n) {
    bytes_.skip(id_bytes_);
    if (bytes_.byte() == kHprofReference) ++object.count;
  }
}

bool HprofReader::read_root(Object& object) {
  switch (object.kind) {
    case kJniGlobal:
      object.jni_handle = id();
      return true;
    case 0x02:  // a JNI local, a Java frame's, a thread: its numbers
    case 0x03:
    case 0x08:
      bytes_.skip(8);
      return true;
    case 0x04:  // a native stack's, a thread block's
    case 0x06:
      bytes_.skip(4);
      return true;
    case 0x05:  // a system class, a busy monitor, unknown
    case 0x07:
    case 0xFF:
      return true;
    default:
      return false;
  }
}

}  // namespace ddm
