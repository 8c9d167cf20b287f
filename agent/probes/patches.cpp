#include "probes/patches.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/log.h"
#include "vm/class_changes/untouchable_classes.h"
#include "vm/class_methods.h"

namespace ddm {
namespace {

// What this thread brings into classes, or which classes it looks at again; null in events.
struct Change {
  const void* plan = nullptr;  // to come
  const std::set<std::string, std::less<>>* names = nullptr;
};
thread_local Change t_change;

class ChangeScope {
 public:
  explicit ChangeScope(Change change) { t_change = change; }
  ~ChangeScope() { t_change = {}; }
  ChangeScope(const ChangeScope&) = delete;
  ChangeScope& operator=(const ChangeScope&) = delete;
};

}  // namespace

std::unique_ptr<Patches> Patches::create(JNIEnv* jni, SinksClass& sinks, std::string& error) {
  ClassHooks* const hooks = ClassHooks::of_process(jni, error);
  return hooks != nullptr ? std::unique_ptr<Patches>(new Patches(sinks, *hooks)) : nullptr;
}

Patches::Plans Patches::plans() const {
  const std::lock_guard lock(mutex_);
  return plans_;
}

Patches::PlanNumber Patches::put_in(JNIEnv* jni, std::shared_ptr<const bci::PatchPlan> plan,
                                    std::shared_ptr<bci::PatchIds> ids, std::string& error,
                                    Choice choice) {
  const std::lock_guard one_change(changing_);
  error = sinks_.define(jni, hooks_);
  if (error.empty()) error = hooks_.switch_on(*this);
  if (!error.empty()) return 0;
  const auto placed = std::make_shared<Plan>();
  placed->plan = std::move(plan);
  placed->ids = std::move(ids);
  placed->choice = std::move(choice);
  PlanNumber number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++last_number_;
    plans_[number] = placed;
  }
  const ChangeScope change({placed.get(), nullptr});
  const Retransformer::Totals totals = hooks_.retransform(jni, *this);
  const std::lock_guard lock(mutex_);
  placed->longest_pause_ms = totals.longest_batch_ms;
  log_info("patches: {} of {} loaded classes looked into, longest batch {:.0f} ms",
           totals.retransformed, totals.loaded, totals.longest_batch_ms);
  return number;
}

bool Patches::take_out(JNIEnv* jni, PlanNumber number) {
  const std::lock_guard one_change(changing_);
  std::shared_ptr<Plan> gone;
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = plans_.find(number);
    if (found == plans_.end()) return false;
    gone = found->second;
    plans_.erase(found);
    last = plans_.empty();
  }
  // The hook stays on meanwhile: it hands every class on without that plan.
  put_back(jni, *gone);
  if (last) hooks_.switch_off(*this);
  return true;
}

void Patches::put_back(JNIEnv* jni, Plan& plan) {
  std::set<std::string, std::less<>> names;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [key, patched] : plan.classes) {
      if (!patched.methods.empty()) names.insert(patched.name);
      patched.methods.clear();
    }
  }
  look_again(jni, names);
}

void Patches::look_again(JNIEnv* jni, const std::set<std::string, std::less<>>& names) {
  const ChangeScope change({nullptr, &names});
  const Retransformer::Totals totals = hooks_.retransform(jni, *this);
  log_info("patches: {} classes looked at again, longest batch {:.0f} ms", totals.retransformed,
           totals.longest_batch_ms);
}

void Patches::choose_again(JNIEnv* jni, const std::set<std::string, std::less<>>& names) {
  const std::lock_guard one_change(changing_);
  if (!names.empty()) look_again(jni, names);
}

std::optional<Patches::Report> Patches::report(PlanNumber number) const {
  const std::lock_guard lock(mutex_);
  const auto found = plans_.find(number);
  if (found == plans_.end()) return std::nullopt;
  Report report;
  for (const auto& [key, patched] : found->second->classes) report.classes.push_back(patched);
  report.longest_pause_ms = found->second->longest_pause_ms;
  return report;
}

bool Patches::may_want(std::string_view internal_name, bool) {
  if (is_untouchable(internal_name)) return false;
  const std::lock_guard lock(mutex_);
  return std::any_of(plans_.begin(), plans_.end(), [&](const auto& entry) {
    return bci::may_patch(*entry.second->plan, internal_name);
  });
}

bool Patches::needs_change(jclass klass, std::string_view internal_name, bool) {
  if (t_change.names != nullptr) return t_change.names->contains(internal_name);
  if (is_untouchable(internal_name)) return false;
  const Plans all = plans();
  return std::any_of(all.begin(), all.end(), [&](const auto& entry) {
    return (t_change.plan == nullptr || t_change.plan == entry.second.get()) &&
           is_about(*entry.second, internal_name, klass);
  });
}

// Of a linked class. Its methods are asked for before it is retransformed in vain: a plan may be
// about one method of any class.
bool Patches::is_about(const Plan& placed, std::string_view name, jclass klass) const {
  const bci::PatchPlan& plan = *placed.plan;
  if (!bci::may_patch(plan, name)) return false;
  if (placed.choice.by_name && !placed.choice.by_name(name)) return false;
  return has_method(hooks_.jvmti(), klass,
                    [&](std::string_view method, std::string_view descriptor) {
                      return bci::may_patch(plan, name, method, descriptor);
                    });
}

void Patches::left_out(const std::string& reason) { log_warn("patches: {}", reason); }

// The class stays as it was: with what other plans had in it before this one came.
void Patches::refused(std::string_view internal_name, const std::string& reason) {
  if (t_change.names != nullptr) {
    return log_warn("patches: {} stays patched: {}", internal_name, reason);
  }
  const std::lock_guard lock(mutex_);
  for (const auto& [number, plan] : plans_) {
    const auto at = plan->classes.find(internal_name);
    if (at == plan->classes.end()) continue;
    if (t_change.plan != nullptr && t_change.plan != plan.get()) continue;
    at->second.failed = reason;
    at->second.methods.clear();
  }
}

std::optional<bci::Bytes> Patches::rewrite(JNIEnv* jni, const LoadingClass& loading,
                                           bci::ByteSpan class_file) {
  Plans all = plans();
  // What another loader's class of that name has is not this one's affair.
  std::erase_if(all, [&](const auto& entry) {
    const auto& by_loader = entry.second->choice.by_loader;
    return by_loader && !by_loader(jni, loading.internal_name, loading.loader);
  });
  std::vector<bci::PatchResult> results(all.size());
  std::vector<bci::PlanToApply> wanted;
  std::size_t at = 0;
  for (const auto& [number, plan] : all) {
    bci::PatchResult& result = results[at++];
    const auto& by_name = plan->choice.by_name;
    if (by_name && !by_name(loading.internal_name)) continue;
    wanted.push_back({plan->plan.get(), plan->ids.get(), &result});
  }
  bci::RewriteResult rewritten = bci::patch_class(class_file, wanted);
  const std::string& name = rewritten.class_name;
  at = 0;
  const std::lock_guard lock(mutex_);
  for (const auto& [number, plan] : all) {
    bci::PatchResult& result = results[at++];
    if (!bci::may_patch(*plan->plan, name)) continue;
    if (result.methods.empty() && result.refused.empty()) {
      plan->classes.erase(name);
      continue;
    }
    if (!result.methods.empty() && plan->choice.told) plan->choice.told(name, class_file);
    plan->classes[name] = {name, std::move(result.methods), std::move(result.refused), ""};
  }
  if (rewritten.status != bci::RewriteStatus::kChanged) return std::nullopt;
  return std::move(rewritten.bytes);
}

}  // namespace ddm
