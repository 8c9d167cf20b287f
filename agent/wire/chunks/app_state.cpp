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

}  // namespace ddm
