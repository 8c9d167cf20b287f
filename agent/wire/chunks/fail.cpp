#include "wire/chunks/fail.h"

namespace ddm {

Bytes Fail::encode() const {
  ByteWriter out;
  out.u4(static_cast<std::uint32_t>(code));
  out.str(message);
  return out.take();
}

std::optional<Fail> Fail::decode(ByteSpan data) {
  ByteReader in(data);
  Fail fail;
  fail.code = static_cast<FailCode>(in.u4());
  fail.message = in.str();
  if (!in.ok()) return {};
  return fail;
}

}  // namespace ddm
