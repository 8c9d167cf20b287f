#include "ddm/heap_dump.h"

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

}  // namespace ddm
