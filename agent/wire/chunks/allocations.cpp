#include "wire/chunks/allocations.h"

#include <algorithm>

#include "core/class_names.h"

namespace ddm {
namespace {

constexpr std::uint8_t kHeaderSize = 15;
constexpr std::uint8_t kEntrySize = 9;
constexpr std::uint8_t kFrameSize = sizeof(AllocationsWriter::Place);

std::int16_t wire_line(std::int32_t line) {
  return static_cast<std::int16_t>(std::clamp<std::int32_t>(line, -2, 32767));
}

bool read_strings(ByteReader& in, std::size_t count, std::vector<std::string>& out) {
  for (; count > 0 && in.ok(); --count) out.push_back(in.str());
  return in.ok();
}

}  // namespace

std::optional<std::uint16_t> AllocationsWriter::StringTable::index_of(std::string_view text) {
  const auto found = index_.find(text);
  if (found != index_.end()) return found->second;
  if (strings_.size() == kMaxStrings) return {};
  const auto index = static_cast<std::uint16_t>(strings_.size());
  strings_.push_back(&index_.emplace(text, index).first->first);
  return index;
}

std::optional<AllocationsWriter::Place> AllocationsWriter::place_of(const AllocationFrame& frame) {
  const auto class_index = classes_.index_of(frame.class_name);
  const auto method = methods_.index_of(frame.method);
  const auto file = files_.index_of(frame.file);
  if (!class_index || !method || !file) return {};
  ByteWriter out;
  out.u2(*class_index);
  out.u2(*method);
  out.u2(*file);
  out.s2(wire_line(frame.line));
  Place place;
  std::ranges::copy(out.take(), place.begin());
  return place;
}

bool AllocationsWriter::add(std::string_view type_name, std::uint64_t bytes,
                            std::uint16_t thread_id, std::span<const Place> frames) {
  if (entries_ == kMaxEntries) return false;
  const auto type = classes_.index_of(type_name);
  if (!type) return false;
  const std::size_t depth = std::min(frames.size(), kMaxFrames);
  // Real servers read the size as a signed number.
  body_.u4(static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 0x7fffffff)));
  body_.u2(thread_id);
  body_.u2(*type);
  body_.u1(static_cast<std::uint8_t>(depth));
  body_.bytes({reinterpret_cast<const std::uint8_t*>(frames.data()), depth * sizeof(Place)});
  ++entries_;
  return true;
}

void AllocationsWriter::reserve(std::size_t entries, std::size_t frames) {
  body_.reserve(entries * kEntrySize + frames * kFrameSize);
}

Bytes AllocationsWriter::finish() {
  ByteWriter out;
  out.reserve(kHeaderSize + body_.size());
  out.u1(kHeaderSize);
  out.u1(kEntrySize);
  out.u1(kFrameSize);
  out.u2(static_cast<std::uint16_t>(entries_));
  out.u4(static_cast<std::uint32_t>(kHeaderSize + body_.size()));
  out.u2(classes_.size());
  out.u2(methods_.size());
  out.u2(files_.size());
  out.bytes(body_.take());
  for (const std::string* name : classes_.strings()) out.str(descriptor_of(*name));
  for (const std::string* name : methods_.strings()) out.str(*name);
  for (const std::string* name : files_.strings()) out.str(*name);
  *this = {};
  return out.take();
}

std::optional<Allocations> Allocations::decode(ByteSpan data) {
  ByteReader in(data);
  const std::uint8_t header_size = in.u1();
  const std::uint8_t entry_size = in.u1();
  const std::uint8_t frame_size = in.u1();
  const std::uint16_t entry_count = in.u2();
  const std::uint32_t strings_at = in.u4();
  const std::uint16_t class_count = in.u2();
  const std::uint16_t method_count = in.u2();
  const std::uint16_t file_count = in.u2();
  if (!in.ok() || header_size < kHeaderSize || entry_size < kEntrySize || frame_size < kFrameSize ||
      strings_at > data.size()) {
    return {};
  }
  in.bytes(header_size - kHeaderSize);

  Allocations result;
  const auto known = [](std::size_t index, std::size_t count) { return index < count; };
  bool valid = true;
  for (int i = 0; i < entry_count && valid; ++i) {
    ByteReader head(in.bytes(entry_size));
    Entry& entry = result.entries.emplace_back();
    read_field(head, entry);
    entry.first_frame = result.frames.size();
    valid = in.ok() && known(entry.class_index, class_count);
    for (int depth = 0; depth < entry.frame_count && valid; ++depth) {
      ByteReader one(in.bytes(frame_size));
      Frame& frame = result.frames.emplace_back();
      read_field(one, frame);
      valid = in.ok() && known(frame.class_index, class_count) &&
              known(frame.method_index, method_count) && known(frame.file_index, file_count);
    }
  }
  ByteReader strings(data.subspan(strings_at));
  if (!valid || !in.ok() || !read_strings(strings, class_count, result.classes) ||
      !read_strings(strings, method_count, result.methods) ||
      !read_strings(strings, file_count, result.files)) {
    return {};
  }
  for (std::string& name : result.classes) name = type_name_of(name);
  return result;
}

}  // namespace ddm
