// blocks_of(): see patch_class.h.
#include <algorithm>

#include "bci/patch/patch_class.h"
#include "bci/patch/patch_site.h"

namespace bci {
namespace {

MethodBlocks blocks_of_code(const MethodOutline& outline, const Code& code,
                            const ConstantPool& pool) {
  const MethodTables tables(code, pool);
  MethodBlocks method;
  method.name = outline.name;
  method.descriptor = outline.descriptor;
  const auto widen = [](std::int32_t line, std::int32_t& first, std::int32_t& last) {
    if (line < 0) return;
    first = first < 0 ? line : std::min(first, line);
    last = std::max(last, line);
  };
  for (Label label = 0; label < code.end_label(); ++label) {
    if (tables.blocks.begins(label)) method.blocks.emplace_back().first = label;
    MethodBlock& block = method.blocks.back();
    block.last = label;
    const std::int32_t line = tables.lines.line_of(label);
    widen(line, block.first_line, block.last_line);
    widen(line, method.first_line, method.last_line);
    for (const SiteKind kind :
         {SiteKind::kObjectAlloc, SiteKind::kArrayAlloc, SiteKind::kBaseArrayAlloc}) {
      std::string array_type;
      const auto site = site_at(kind, label, code, pool, tables, array_type);
      if (!site) continue;
      const bool is_array = kind != SiteKind::kObjectAlloc;
      block.allocations.push_back(
          {is_array, std::string(is_array ? innermost_element(site->owner) : site->owner)});
    }
  }
  return method;
}

}  // namespace

std::vector<MethodBlocks> blocks_of(ByteSpan class_file, const PatchPlan& plan) noexcept {
  std::vector<MethodBlocks> methods;
  try {
    SkipReason why{};
    const auto file = ClassFile::parse(class_file, why);
    if (!file) return methods;
    for (const MethodOutline& outline : file->methods) {
      if (!outline.code || !may_patch(plan, file->name, outline.name, outline.descriptor)) continue;
      const auto code = Code::decode(outline.code->body, file->pool, why);
      if (code) methods.push_back(blocks_of_code(outline, *code, file->pool));
    }
  } catch (...) {  // out of memory
    methods.clear();
  }
  return methods;
}

}  // namespace bci
