#include "wire/chunks/thread_chunks.h"

#include <algorithm>

namespace ddm {
namespace {

constexpr std::uint8_t kTableHeader = 4;
constexpr std::uint8_t kTableEntry = 18;
constexpr std::uint8_t kTableEntryWithoutDaemon = 17;

}  // namespace

template <ChunkType Type>
Bytes ThreadNameEvent<Type>::encode() const {
  ByteWriter out;
  out.u4(id);
  out.str(name);
  return out.take();
}

template <ChunkType Type>
std::optional<ThreadNameEvent<Type>> ThreadNameEvent<Type>::decode(ByteSpan data) {
  ByteReader in(data);
  ThreadNameEvent event;
  event.id = in.u4();
  event.name = in.str();
  if (!in.ok()) return {};
  return event;
}

template <ChunkType Type>
Bytes ThreadIdOnly<Type>::encode() const {
  ByteWriter out;
  out.u4(id);
  return out.take();
}

template <ChunkType Type>
std::optional<ThreadIdOnly<Type>> ThreadIdOnly<Type>::decode(ByteSpan data) {
  ByteReader in(data);
  const ThreadIdOnly result{in.u4()};
  if (!in.ok()) return {};
  return result;
}

template struct ThreadNameEvent<chunk_type("THCR")>;
template struct ThreadNameEvent<chunk_type("THNM")>;
template struct ThreadIdOnly<chunk_type("THDE")>;
template struct ThreadIdOnly<chunk_type("STKL")>;

Bytes ThreadStatusRequest::encode() const {
  ByteWriter out;
  if (interval_millis) out.u4(*interval_millis);
  return out.take();
}

std::optional<ThreadStatusRequest> ThreadStatusRequest::decode(ByteSpan data) {
  if (data.empty()) return ThreadStatusRequest{};
  ByteReader in(data);
  const ThreadStatusRequest request{in.u4()};
  if (!in.ok()) return {};
  return request;
}

Bytes ThreadStatusTable::encode() const {
  const std::size_t count = std::min(entries.size(), kMaxEntries);
  ByteWriter out;
  out.u1(kTableHeader);
  out.u1(kTableEntry);
  out.u2(static_cast<std::uint16_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const Entry& entry = entries[i];
    out.u4(entry.id);
    out.u1(static_cast<std::uint8_t>(entry.state));
    out.u4(entry.os_id);
    out.u4(entry.user_ticks);
    out.u4(entry.system_ticks);
    out.u1(entry.daemon ? 1 : 0);
  }
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
    Entry entry;
    entry.id = one.u4();
    entry.state = static_cast<ThreadState>(one.u1());
    entry.os_id = one.u4();
    entry.user_ticks = one.u4();
    entry.system_ticks = one.u4();
    entry.daemon = one.u1() != 0;
    table.entries.push_back(entry);
  }
  if (!in.ok()) return {};
  return table;
}

Bytes JavaThreadIds::encode() const {
  ByteWriter out;
  out.u4(static_cast<std::uint32_t>(entries.size()));
  for (const Entry& entry : entries) {
    out.u4(entry.id);
    out.u8(static_cast<std::uint64_t>(entry.java_id));
  }
  return out.take();
}

std::optional<JavaThreadIds> JavaThreadIds::decode(ByteSpan data) {
  ByteReader in(data);
  JavaThreadIds ids;
  for (std::uint32_t left = in.u4(); left > 0 && in.ok(); --left) {
    const std::uint32_t id = in.u4();
    ids.entries.push_back({id, static_cast<std::int64_t>(in.u8())});
  }
  if (!in.ok()) return {};
  return ids;
}

Bytes ThreadStatusList::encode() const {
  ByteWriter out;
  out.u4(static_cast<std::uint32_t>(entries.size()));
  for (const Entry& entry : entries) {
    out.u4(entry.id);
    out.u1(static_cast<std::uint8_t>(entry.state));
    out.u1(entry.suspended ? 1 : 0);
  }
  return out.take();
}

std::optional<ThreadStatusList> ThreadStatusList::decode(ByteSpan data) {
  ByteReader in(data);
  ThreadStatusList list;
  for (std::uint32_t left = in.u4(); left > 0 && in.ok(); --left) {
    Entry entry;
    entry.id = in.u4();
    entry.state = static_cast<ThreadState>(in.u1());
    entry.suspended = in.u1() != 0;
    list.entries.push_back(entry);
  }
  if (!in.ok()) return {};
  return list;
}

Bytes ThreadStack::encode() const {
  ByteWriter out;
  out.u4(0);
  out.u4(id);
  out.u4(static_cast<std::uint32_t>(frames.size()));
  for (const Frame& frame : frames) {
    out.str(frame.class_name);
    out.str(frame.method);
    out.str(frame.file);
    out.s4(frame.line);
  }
  return out.take();
}

std::optional<ThreadStack> ThreadStack::decode(ByteSpan data) {
  ByteReader in(data);
  ThreadStack stack;
  in.u4();  // reserved
  stack.id = in.u4();
  for (std::uint32_t left = in.u4(); left > 0 && in.ok(); --left) {
    Frame frame;
    frame.class_name = in.str();
    frame.method = in.str();
    frame.file = in.str();
    frame.line = in.s4();
    stack.frames.push_back(std::move(frame));
  }
  if (!in.ok()) return {};
  return stack;
}

}  // namespace ddm
