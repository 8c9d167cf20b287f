#include "probes/plans/probe_sites.h"

#include <algorithm>
#include <set>

#include "bci/code_tables.h"
#include "bci/opcodes.h"

namespace ddm {
namespace {

bool has_line(std::uint16_t line, const bci::ClassFile& file, bci::ByteSpan body) {
  bci::SkipReason why = bci::SkipReason::kNone;
  const auto code = bci::Code::decode(body, file.pool, why);
  if (!code) return true;
  const bci::LineTable lines(*code);
  for (bci::Label label = 0; label < code->end_label(); ++label) {
    if (lines.line_of(label) == line) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> field_owners(const ProbeSpec& spec, const bci::ConstantPool& pool) {
  std::set<std::string> owners;
  for (std::uint16_t index = 1; index < pool.count(); ++index) {
    if (pool.tag(index) != bci::kFieldref) continue;
    const auto field = pool.member(index);
    if (field && spec.means_field(field->owner, field->name)) owners.emplace(field->owner);
  }
  return {owners.begin(), owners.end()};
}

bool uses_field(const ProbeSpec& spec, const bci::ConstantPool& pool, bci::ByteSpan bytecode) {
  if (field_owners(spec, pool).empty()) return false;
  bci::SkipReason why = bci::SkipReason::kNone;
  const auto code = bci::Code::decode_bytecode(bytecode, why);
  if (!code) return true;
  return std::ranges::any_of(code->instructions, [&](const bci::Instruction& one) {
    if (one.opcode < bci::kGetstatic || one.opcode > bci::kPutfield) return false;
    const auto field = pool.member(bci::read_u2(&bytecode[one.bci + std::size_t{1}]));
    return field && spec.means_field(field->owner, field->name);
  });
}

bool has_site(const ProbeSpec& spec, const bci::ClassFile& file, const bci::MethodOutline& method) {
  if (!spec.field.empty()) return method.code && uses_field(spec, file.pool, method.code->bytecode);
  if (spec.request.line == 0) return true;
  return method.code && has_line(spec.request.line, file, method.code->body);
}

std::string why_no_site(const ProbeRequest& request) {
  if (request.line > 0) return "it has no code at line " + std::to_string(request.line);
  return request.field.empty() ? "" : "it does not use the field " + request.field;
}

}  // namespace ddm
