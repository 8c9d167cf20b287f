#include "wire/chunks/profiling.h"

namespace ddm {

Bytes TraceRequest::encode() const {
  ByteWriter out;
  out.u4(buffer_bytes);
  out.u4(flags);
  const bool filtered = least_micros != 0 || !below.empty();
  if (!methods.empty() || filtered) out.str(methods);
  if (filtered) {
    out.u4(least_micros);
    out.str(below);
  }
  return out.take();
}

std::optional<TraceRequest> TraceRequest::decode(ByteSpan data) {
  ByteReader in(data);
  TraceRequest request;
  request.buffer_bytes = in.u4();
  request.flags = in.u4();
  if (in.remaining() > 0) request.methods = in.str();
  if (in.remaining() > 0) {
    request.least_micros = in.u4();
    request.below = in.str();
  }
  if (!in.ok()) return {};
  return request;
}

}  // namespace ddm
