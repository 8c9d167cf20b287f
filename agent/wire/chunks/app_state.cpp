#include "wire/chunks/app_state.h"

namespace ddm {

Bytes AppName::encode() const {
  ByteWriter out;
  out.str(name);
  out.u4(user_id);
  out.str(package);
  return out.take();
}

std::optional<AppName> AppName::decode(ByteSpan data) {
  ByteReader in(data);
  AppName result;
  result.name = in.str();
  if (!in.ok()) return {};
  result.user_id = in.u4();
  result.package = in.str();
  return result;
}

Bytes Waiting::encode() const { return {reason}; }

std::optional<Waiting> Waiting::decode(ByteSpan data) {
  if (data.empty()) return {};
  return Waiting{data[0]};
}

Bytes ExitRequest::encode() const {
  ByteWriter out;
  out.s4(status);
  return out.take();
}

std::optional<ExitRequest> ExitRequest::decode(ByteSpan data) {
  ByteReader in(data);
  const ExitRequest result{in.s4()};
  if (!in.ok()) return {};
  return result;
}

}  // namespace ddm
