#include "wire/chunks/profiling.h"

namespace ddm {

Bytes TraceToFileRequest::encode() const {
  ByteWriter out;
  out.u4(buffer_bytes);
  out.u4(flags);
  out.str(path);
  return out.take();
}

std::optional<TraceToFileRequest> TraceToFileRequest::decode(ByteSpan data) {
  ByteReader in(data);
  TraceToFileRequest request;
  request.buffer_bytes = in.u4();
  request.flags = in.u4();
  request.path = in.str();
  if (!in.ok()) return {};
  return request;
}

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

Bytes SampleRequest::encode() const {
  ByteWriter out;
  out.u4(buffer_bytes);
  out.u4(flags);
  out.u4(interval_micros);
  return out.take();
}

std::optional<SampleRequest> SampleRequest::decode(ByteSpan data) {
  ByteReader in(data);
  SampleRequest request;
  request.buffer_bytes = in.u4();
  request.flags = in.u4();
  request.interval_micros = in.u4();
  if (!in.ok()) return {};
  return request;
}

Bytes ProfilingState::encode() const { return {static_cast<std::uint8_t>(mode)}; }

std::optional<ProfilingState> ProfilingState::decode(ByteSpan data) {
  if (data.empty() || data[0] > static_cast<std::uint8_t>(Mode::kSampling)) return {};
  return ProfilingState{static_cast<Mode>(data[0])};
}

}  // namespace ddm
