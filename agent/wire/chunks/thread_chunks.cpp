#include "wire/chunks/thread_chunks.h"

#include <algorithm>

namespace ddm {
namespace {

constexpr std::uint8_t kTableHeader = 4;
constexpr std::uint8_t kTableEntry = 18;
constexpr std::uint8_t kTableEntryWithoutDaemon = 17;

}  // namespace

Bytes ThreadStatusTable::encode() const {
  const std::size_t count = std::min(entries.size(), kMaxEntries);
  ByteWriter out;
  out.u1(kTableHeader);
  out.u1(kTableEntry);
  out.u2(static_cast<std::uint16_t>(count));
  for (std::size_t i = 0; i < count; ++i) write_field(out, entries[i]);
  return out.take();
}

std::optional<ThreadStatusTable> ThreadStatusTable::decode(ByteSpan data) {
  ByteReader in(data);
  const std::uint8_t header_size = in.u1();
  const std::uint8_t entry_size = in.u1();
  const std::uint16_t count = in.u2();
  if (!in.ok() || header_size < kTableHeader || entry_size < kTableEntryWithoutDaemon) return {};
  in.bytes(header_size - kTableHeader);
  ThreadStatusTable table;
  for (int i = 0; i < count && in.ok(); ++i) {
    ByteReader one(in.bytes(entry_size));
    read_field(one, table.entries.emplace_back());
  }
  if (!in.ok()) return {};
  return table;
}

}  // namespace ddm
