#include "wire/chunks/native_heap.h"

#include <fmt/format.h>

namespace ddm {
namespace {

constexpr std::uint32_t kSignature = 0x812345dd;
constexpr std::uint16_t kVersion = 2;
constexpr std::uint16_t kPointerSize = 8;

void put(Bytes& out, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

std::uint64_t get(ByteReader& in, std::size_t size) {
  const ByteSpan bytes = in.bytes(size);
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

Bytes NativeHeap::encode() const {
  const std::uint64_t record_size = (2 + std::uint64_t{depth}) * kPointerSize;
  Bytes out;
  put(out, kSignature, 4);
  put(out, kVersion, 2);
  put(out, kPointerSize, 2);
  put(out, maps.size(), kPointerSize);
  put(out, records.size() * record_size, kPointerSize);
  put(out, records.empty() ? 0 : record_size, kPointerSize);
  put(out, total_bytes, kPointerSize);
  put(out, depth, kPointerSize);
  out.insert(out.end(), maps.begin(), maps.end());
  for (const Record& record : records) {
    put(out, record.size, kPointerSize);
    put(out, record.count, kPointerSize);
    for (std::size_t i = 0; i < depth; ++i) {
      put(out, i < record.backtrace.size() ? record.backtrace[i] : 0, kPointerSize);
    }
  }
  return out;
}

std::optional<NativeHeap> NativeHeap::decode(ByteSpan data) {
  ByteReader in(data);
  const std::uint64_t signature = get(in, 4);
  const std::uint64_t version = get(in, 2);
  const std::uint64_t pointer = get(in, 2);
  if (!in.ok() || signature != kSignature || version != kVersion ||
      (pointer != 4 && pointer != 8)) {
    return {};
  }
  const std::uint64_t maps_size = get(in, pointer);
  const std::uint64_t records_size = get(in, pointer);
  const std::uint64_t record_size = get(in, pointer);
  NativeHeap heap;
  heap.total_bytes = get(in, pointer);
  const std::uint64_t depth = get(in, pointer);
  const ByteSpan maps = in.bytes(maps_size);
  ByteReader records(in.bytes(records_size));
  // Checked by division: a product of the peer's numbers could overflow.
  const bool consistent =
      record_size == 0 ? records_size == 0
                       : records_size % record_size == 0 && record_size % pointer == 0 &&
                             record_size / pointer >= 2 && record_size / pointer - 2 == depth;
  if (!in.ok() || !consistent || depth > 0xffffffff) return {};
  heap.depth = static_cast<std::uint32_t>(depth);
  heap.maps.assign(maps.begin(), maps.end());
  while (!records.at_end() && records.ok()) {
    Record record;
    record.size = get(records, pointer);
    record.count = get(records, pointer);
    for (std::uint64_t i = 0; i < depth; ++i) record.backtrace.push_back(get(records, pointer));
    while (!record.backtrace.empty() && record.backtrace.back() == 0) record.backtrace.pop_back();
    heap.records.push_back(std::move(record));
  }
  return heap;
}

NativePlace NativePlaces::find(std::uint64_t address) const {
  constexpr std::string_view kJava = "[java] ";
  const Mapping* mapping = find_mapping(mappings_, address);
  if (mapping == nullptr || mapping->name.empty()) return {"", address, ""};
  if (mapping->name.starts_with(kJava)) return {"", address, mapping->name.substr(kJava.size())};
  return {mapping->name, address - mapping->begin + mapping->offset, ""};
}

std::string NativePlaces::of(std::uint64_t address) const {
  const NativePlace place = find(address);
  if (!place.java.empty()) return place.java;
  return fmt::format("{}{}{:#x}", place.file, place.file.empty() ? "" : "+", place.offset);
}

}  // namespace ddm
