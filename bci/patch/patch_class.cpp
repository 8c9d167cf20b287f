#include "bci/patch/patch_class.h"

#include <algorithm>

#include "bci/patch/method_patcher.h"

namespace bci {
namespace {

class PlanTransformation : public Transformation {
 public:
  PlanTransformation(const PatchPlan& plan, PatchIds& ids, PatchResult& result)
      : plan_(plan), ids_(ids), result_(result) {}

  std::string_view name() const override { return "PatchPlan"; }
  bool holds_hook(std::string_view class_name) const override {
    return holds_sink(plan_, class_name);
  }

  void apply(ClassContext& context) const override {
    for (MethodContext& method : context.methods()) {
      std::vector<const Patch*> patches = patches_of(plan_, context.name(), method);
      if (patches.empty()) continue;
      CodeEditor* editor = method.editor();
      if (editor != nullptr) {
        MethodPatcher(context, method, *editor, plan_, ids_, std::move(patches), result_).apply();
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
                                              const MethodContext& method) {
    std::vector<const Patch*> patches;
    for (const MethodPatches& each : plan.methods) {
      if (!matches(each, class_name, method.name(), method.descriptor())) continue;
      for (const Patch& patch : each.patches) patches.push_back(&patch);
    }
    return patches;
  }

 private:
  const PatchPlan& plan_;
  PatchIds& ids_;
  PatchResult& result_;
};

// Methods that could not be written after all stay as they were.
void drop_skipped(PatchResult& result) {
  for (const SkippedMethod& skipped : result.rewrite.skipped) {
    if (!skipped.transformation.empty()) continue;
    const auto gone = std::remove_if(
        result.methods.begin(), result.methods.end(), [&](const PatchedMethod& method) {
          if (method.name != skipped.name || method.descriptor != skipped.descriptor) return false;
          result.refused.push_back({method.name, method.descriptor, method.sites[0].kind,
                                    skipped.reason, "the whole method", -1});
          return true;
        });
    result.methods.erase(gone, result.methods.end());
  }
}

}  // namespace

PatchResult patch_class(ByteSpan class_file, const PatchPlan& plan, PatchIds& ids) noexcept {
  PatchResult result;
  const PlanTransformation transformation(plan, ids, result);
  const Transformation* const all[] = {&transformation};
  RewriteResult rewritten = rewrite(class_file, all);
  try {
    result.rewrite = std::move(rewritten);
    const RewriteResult& outcome = result.rewrite;
    if (outcome.status == RewriteStatus::kSkipped) {
      result.methods.clear();
      result.refused.assign(1, {"", "", SiteKind::kEnter, outcome.reason, "", -1});
    } else if (holds_sink(plan, outcome.class_name) && may_patch(plan, outcome.class_name)) {
      result.refused.push_back({"", "", SiteKind::kEnter, SkipReason::kHoldsSink, "", -1});
    } else {
      drop_skipped(result);
    }
  } catch (...) {
    result.rewrite.status = RewriteStatus::kSkipped;
    result.rewrite.reason = SkipReason::kOutOfMemory;
    result.rewrite.bytes.clear();
    result.methods.clear();
  }
  return result;
}

}  // namespace bci
