#include "bci/patch/patch_class.h"

#include <algorithm>
#include <deque>

#include "bci/patch/method_patcher.h"
#include "bci/patch/patch_site.h"

namespace bci {
namespace {

class PlanTransformation : public Transformation {
 public:
  PlanTransformation(const PatchPlan& plan, PatchIds& ids, PatchResult& result)
      : plan_(plan), ids_(ids), result_(result) {}

  // Other classes with sinks may be patched in methods that the plan names individually.
  bool holds_hook(std::string_view class_name) const override {
    return class_name == plan_.test_class && holds_sink(plan_, class_name);
  }

  void apply(ClassContext& context) const override {
    const bool holds_sinks = holds_sink(plan_, context.name());
    for (MethodContext& method : context.methods()) {
      std::vector<const Patch*> patches = patches_of(plan_, context.name(), method, holds_sinks);
      if (patches.empty()) continue;
      CodeEditor* editor = method.editor();
      if (editor != nullptr) {
        patch_method(context, method, *editor, plan_, ids_, std::move(patches), result_);
        continue;
      }
      const SkipReason why = method.has_code() && !method.skips().empty()
                                 ? method.skips().back().reason
                                 : SkipReason::kNoCode;
      for (const Patch* patch : patches) {
        result_.refused.push_back({std::string(method.name()), std::string(method.descriptor()),
                                   patch->site, why, "", -1});
      }
    }
  }

  static std::vector<const Patch*> patches_of(const PatchPlan& plan, std::string_view class_name,
                                              const MethodContext& method, bool holds_sinks) {
    std::vector<const Patch*> patches;
    if (holds_sinks && is_sink(plan, class_name, method.name())) return patches;
    for (const MethodPatches& each : plan.methods) {
      if (!matches(each, class_name, method.name(), method.descriptor())) continue;
      if (holds_sinks && names_many(each.method)) continue;
      for (const Patch& patch : each.patches) patches.push_back(&patch);
    }
    return patches;
  }

 private:
  const PatchPlan& plan_;
  PatchIds& ids_;
  PatchResult& result_;
};

// Removes the sites of methods that could not be written.
void drop_skipped(const RewriteResult& rewritten, PatchResult& result) {
  for (const SkippedMethod& skipped : rewritten.skipped) {
    if (!skipped.transformation.empty()) continue;
    std::erase_if(result.methods, [&](const PatchedMethod& method) {
      if (method.name != skipped.name || method.descriptor != skipped.descriptor) return false;
      result.refused.push_back({method.name, method.descriptor, method.sites[0].kind,
                                skipped.reason, "the whole method", -1});
      return true;
    });
  }
}

void settle(const RewriteResult& rewritten, bool holds_sinks, const PlanToApply& applied) {
  PatchResult& result = *applied.result;
  if (rewritten.status == RewriteStatus::kSkipped) {
    result.methods.clear();
    result.refused.assign(1, {"", "", SiteKind::kEnter, rewritten.reason, "", -1});
    return;
  }
  for (const MethodPatches& each : applied.plan->methods) {
    if (!holds_sinks || !matches_class(each, rewritten.class_name)) continue;
    if (!names_many(each.method) && rewritten.class_name != applied.plan->test_class &&
        !is_sink(*applied.plan, rewritten.class_name, each.method)) {
      continue;
    }
    result.refused.push_back(
        {each.method, each.descriptor, SiteKind::kEnter, SkipReason::kHoldsSink, "", -1});
  }
  drop_skipped(rewritten, result);
}

RewriteResult patch_or_throw(ByteSpan class_file, std::span<const PlanToApply> plans) {
  std::deque<PlanTransformation> transformations;
  std::vector<const Transformation*> all;
  for (const PlanToApply& each : plans) {
    all.push_back(&transformations.emplace_back(*each.plan, *each.ids, *each.result));
  }
  RewriteResult rewritten = rewrite(class_file, all);
  const bool holds_sinks = std::ranges::any_of(
      plans, [&](const PlanToApply& each) { return holds_sink(*each.plan, rewritten.class_name); });
  for (const PlanToApply& each : plans) settle(rewritten, holds_sinks, each);
  return rewritten;
}

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

RewriteResult patch_class(ByteSpan class_file, std::span<const PlanToApply> plans) noexcept {
  try {
    return patch_or_throw(class_file, plans);
  } catch (...) {
    for (const PlanToApply& each : plans) each.result->methods.clear();
    RewriteResult nothing;
    nothing.status = RewriteStatus::kSkipped;
    nothing.reason = SkipReason::kOutOfMemory;
    return nothing;
  }
}

PatchResult patch_class(ByteSpan class_file, const PatchPlan& plan, PatchIds& ids) noexcept {
  PatchResult result;
  const PlanToApply only[] = {{&plan, &ids, &result}};
  result.rewrite = patch_class(class_file, only);
  return result;
}

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
