#include "graph/dump_names.h"

#include <algorithm>

#include "core/class_names.h"
#include "core/jvm_text.h"
#include "report/hprof/hprof_numbers.h"
#include "stack/names/name_table.h"

namespace ddm {
namespace {

constexpr std::uint64_t kLongestName = 1 << 16;
constexpr std::uint32_t kDeepest = 1 << 16;
constexpr std::int32_t kHprofNative = -3;

}  // namespace

void DumpNames::note(HprofReader& in, const HprofReader::Record& record) {
  id_bytes_ = in.id_bytes();
  const auto serial = [&] { return static_cast<std::uint32_t>(in.bytes().integer(4)); };
  const auto note_extent = [&](auto& extents, auto key) {
    extents[key] = Extent{in.bytes().position(), in.left()};
  };
  if (record.tag == HprofReader::kText) {
    if (record.length >= id_bytes_) note_extent(texts_, in.id());
  } else if (record.tag == HprofReader::kFrame) {
    note_extent(frames_, in.id());
  } else if (record.tag == HprofReader::kTrace) {
    note_extent(traces_, serial());
  } else if (record.tag == HprofReader::kLoadClass) {
    const std::uint32_t number = serial();
    const std::uint64_t id = in.id();
    serial();  // of a stack
    classes_[id] = classes_by_serial_[number] = in.id();
  }
}

std::string DumpNames::array_name(std::uint8_t element) {
  static constexpr std::string_view kNames[] = {"boolean", "char",  "float", "double",
                                                "byte",    "short", "int",   "long"};
  return element >= 4 && element < 12 ? std::string(kNames[element - 4]) + "[]" : "unknown";
}

std::string DumpNames::class_name(std::uint64_t class_id) const {
  const auto name = classes_.find(class_id);
  return name != classes_.end() ? type_name_in_dump(text(name->second)) : "unknown";
}

std::string DumpNames::text(std::uint64_t id) const {
  const auto extent = texts_.find(id);
  if (extent == texts_.end()) return id == 0 ? "" : "unknown";
  HprofBytes bytes(fd_, 1 << 12);
  bytes.skip(extent->second.at);
  return utf8_of(bytes.text(std::min(extent->second.bytes, kLongestName)));
}

std::vector<DumpFrame> DumpNames::stack(std::uint32_t serial) {
  const auto extent = traces_.find(serial);
  std::vector<DumpFrame> result;
  if (extent == traces_.end() || extent->second.bytes < 8) return result;
  HprofBytes bytes(fd_, 1 << 12);
  bytes.skip(extent->second.at + 4);
  const std::uint64_t most = (extent->second.bytes - 8) / id_bytes_;
  for (auto n = std::min({bytes.integer(4), most, std::uint64_t{kDeepest}}); n > 0 && bytes.good();
       --n) {
    result.push_back(frame(bytes.integer(id_bytes_)));
  }
  return result;
}

const DumpFrame& DumpNames::frame(std::uint64_t id) {
  const auto [at, fresh] = shown_.try_emplace(id);
  const auto extent = frames_.find(id);
  if (!fresh || extent == frames_.end()) return at->second;
  HprofBytes bytes(fd_, 1 << 8);
  bytes.skip(extent->second.at);
  DumpFrame& frame = at->second;
  frame.name.method = text(bytes.integer(id_bytes_));
  frame.signature = text(bytes.integer(id_bytes_));
  frame.name.file = text(bytes.integer(id_bytes_));
  const auto of = classes_by_serial_.find(static_cast<std::uint32_t>(bytes.integer(4)));
  const auto line = static_cast<std::int32_t>(bytes.integer(4));
  frame.name.class_name =
      of != classes_by_serial_.end() ? type_name_in_dump(text(of->second)) : "unknown";
  frame.bci = HprofNumbers::bci_of(id);
  frame.name.line = line > 0 ? line : line == kHprofNative ? kLineNative : kLineUnknown;
  return frame;
}

}  // namespace ddm
