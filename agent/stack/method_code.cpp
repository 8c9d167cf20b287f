#include "stack/method_code.h"

#include <algorithm>

#include "bci/opcodes.h"
#include "core/own_memory.h"
#include "stack/walk/number_stream.h"
#include "vm/vm_entries.h"

namespace ddm {
namespace {

// Reads page by page, since the next page may be unreadable.
std::vector<std::uint8_t> bytes_at(VmAddress at, std::size_t most) {
  std::vector<std::uint8_t> bytes(most);
  std::size_t known = 0;
  while (known < most) {
    const std::size_t step = std::min(most - known, kPage - (at + known) % kPage);
    if (!read_own_memory(at + known, bytes.data() + known, step)) break;
    known += step;
  }
  bytes.resize(known);
  return bytes;
}

// Replaces the interpreter's internal opcodes by the original ones. Operands remain indices into
// the constant pool cache. False: an opcode cannot be mapped back, or this is no code.
bool as_in_class_file(std::vector<std::uint8_t>& bytecode) {
  for (std::size_t at = 0; at < bytecode.size();) {
    const auto opcode = java_opcode(bytecode[at]);
    if (!opcode) return false;
    bytecode[at] = *opcode;
    const std::size_t length = bci::instruction_length(bytecode, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace

MethodCode::MethodCode(JNIEnv* jni) {
  VmEntries entries;
  Layout layout;
  layout.method_const = entries.offset({{"Method", "_constMethod"}});
  layout.flags = entries.offset({{"ConstMethod", "_flags"}, {"ConstMethod", "_flags._flags"}});
  layout.code_size = entries.offset({{"ConstMethod", "_code_size"}});
  layout.code = static_cast<std::uint32_t>(entries.size("ConstMethod"));
  layout.has_lines = static_cast<std::uint32_t>(entries.constant(
      {"ConstMethod::_has_linenumber_table", "ConstMethodFlags::_misc_has_linenumber_table"}));
  entries.expect(layout.has_lines <= 0xffff, "ConstMethod::_flags");
  layout.stream_base = stream_base_of(jni->GetVersion());
  if (entries.hold()) layout_ = layout;
}

std::optional<MethodCode::Version> MethodCode::read(const void* method) const {
  constexpr std::size_t kMostOfTable = std::size_t{64} << 10;
  if (!layout_ || method == nullptr) return {};
  const auto constants =
      read_own<VmAddress>(reinterpret_cast<VmAddress>(method) + layout_->method_const);
  if (!constants) return {};
  const auto size = read_own<std::uint16_t>(*constants + layout_->code_size);
  const auto flags = read_own<std::uint16_t>(*constants + layout_->flags);
  if (!size || !flags) return {};
  Version version;
  version.bytecode = bytes_at(*constants + layout_->code, *size);
  if (version.bytecode.size() != *size || !as_in_class_file(version.bytecode)) return {};
  if ((*flags & layout_->has_lines) == 0) return version;
  // Most tables are short.
  for (std::size_t most = 256; most <= kMostOfTable; most *= 4) {
    const auto table = bytes_at(*constants + layout_->code + *size, most);
    auto lines = read_line_table(table, layout_->stream_base, *size);
    if (!lines) continue;
    version.lines = std::move(*lines);
    return version;
  }
  return {};
}

}  // namespace ddm
