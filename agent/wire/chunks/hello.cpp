#include "wire/chunks/hello.h"

#include "core/utf16.h"

namespace ddm {

void HelloNames::write(ByteWriter& out, const HelloReply& reply) const {
  const std::u16string vm_units = to_utf16(reply.vm);
  const std::u16string app_units = to_utf16(reply.app);
  out.u4(static_cast<std::uint32_t>(vm_units.size()));
  out.u4(static_cast<std::uint32_t>(app_units.size()));
  out.chars(vm_units);
  out.chars(app_units);
}

void HelloNames::read(ByteReader& in, HelloReply& reply) const {
  const std::uint32_t vm_units = in.u4();
  const std::uint32_t app_units = in.u4();
  reply.vm = in.chars(vm_units);
  reply.app = in.chars(app_units);
}

}  // namespace ddm
