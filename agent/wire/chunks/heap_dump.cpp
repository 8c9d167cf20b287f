#include "wire/chunks/heap_dump.h"

namespace ddm {

Bytes HeapDumpRequest::encode() const {
  ByteWriter out;
  out.str(path);
  return out.take();
}

std::optional<HeapDumpRequest> HeapDumpRequest::decode(ByteSpan data) {
  ByteReader in(data);
  HeapDumpRequest request{in.str()};
  if (!in.ok()) return {};
  return request;
}

std::optional<HeapDumpPieceRequest> HeapDumpPieceRequest::decode(ByteSpan data) {
  if (data.size() != 1 || data[0] > static_cast<std::uint8_t>(What::kNextPiece)) return {};
  return HeapDumpPieceRequest{static_cast<What>(data[0])};
}

Bytes HeapDumpMade::encode() const {
  ByteWriter out;
  out.u8(bytes);
  out.u8(with_stack);
  out.str(no_stacks);
  return out.take();
}

std::optional<HeapDumpMade> HeapDumpMade::decode(ByteSpan data) {
  ByteReader in(data);
  HeapDumpMade made;
  made.bytes = in.u8();
  made.with_stack = in.u8();
  made.no_stacks = in.str();
  if (!in.ok()) return {};
  return made;
}

}  // namespace ddm
