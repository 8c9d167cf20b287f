#include "wire/chunks/hello.h"

#include "core/utf16.h"

namespace ddm {

Bytes HelloReply::encode() const {
  const std::u16string vm_units = to_utf16(vm);
  const std::u16string app_units = to_utf16(app);
  ByteWriter out;
  out.u4(version);
  out.u4(pid);
  // Only in HELO both lengths precede both strings.
  out.u4(static_cast<std::uint32_t>(vm_units.size()));
  out.u4(static_cast<std::uint32_t>(app_units.size()));
  out.chars(vm_units);
  out.chars(app_units);
  out.u4(user_id);
  out.str(abi);
  out.str(jvm_flags);
  out.u1(native_debuggable ? 1 : 0);
  out.str(package);
  out.u4(stage);
  return out.take();
}

std::optional<HelloReply> HelloReply::decode(ByteSpan data) {
  ByteReader in(data);
  HelloReply reply;
  reply.version = in.u4();
  reply.pid = in.u4();
  const std::uint32_t vm_units = in.u4();
  const std::uint32_t app_units = in.u4();
  reply.vm = in.chars(vm_units);
  reply.app = in.chars(app_units);
  if (!in.ok()) return {};
  // Fields that are missing or truncated keep their defaults.
  reply.user_id = in.u4();
  reply.abi = in.str();
  reply.jvm_flags = in.str();
  reply.native_debuggable = in.u1() == 1;
  reply.package = in.str();
  reply.stage = in.u4();
  return reply;
}

}  // namespace ddm
