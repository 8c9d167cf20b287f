#include "probes/patches.h"

#include <algorithm>
#include <utility>

#include "core/log.h"

namespace ddm {

ClassHooks* Patches::hooks(JNIEnv* jni, std::string& error) {
  const std::lock_guard lock(mutex_);
  if (hooks_ == nullptr) hooks_ = ClassHooks::of_process(jni, error);
  return hooks_;
}

std::shared_ptr<const Patches::Patchers> Patches::patchers() const {
  const std::lock_guard lock(mutex_);
  return patchers_;
}

// Lock held. The class-file hook is enabled while there is a patcher.
std::string Patches::change(Patchers patchers) {
  const bool was_on = !patchers_->empty(), is_on = !patchers.empty();
  patchers_ = std::make_shared<const Patchers>(std::move(patchers));
  if (was_on == is_on) return "";
  return is_on ? hooks_->switch_on(*this) : hooks_->switch_off(*this);
}

std::string Patches::add(JNIEnv* jni, Patcher& patcher) {
  std::string error;
  ClassHooks* const hooks = this->hooks(jni, error);
  if (hooks == nullptr) return error;
  error = sinks_.define(jni, *hooks);
  if (!error.empty()) return error;
  const std::lock_guard lock(mutex_);
  Patchers changed = *patchers_;
  if (std::ranges::find(changed, &patcher) != changed.end()) return "";
  changed.push_back(&patcher);
  error = change(std::move(changed));
  if (!error.empty()) patchers_ = std::make_shared<Patchers>();
  return error;
}

void Patches::remove(Patcher& patcher) {
  const std::lock_guard lock(mutex_);
  Patchers changed = *patchers_;
  std::erase(changed, &patcher);
  if (const std::string error = change(std::move(changed)); !error.empty()) log_error("{}", error);
}

void Patches::bring_up_to_date(JNIEnv* jni, Patcher& patcher, ClassHooks::Needs needs) {
  std::string error;
  ClassHooks* const hooks = this->hooks(jni, error);
  if (hooks == nullptr) return;  // nothing was ever installed
  const Retransformer::Totals totals = hooks->retransform(jni, patcher, std::move(needs));
  log_info("patches: {} of {} loaded classes retransformed, longest batch {:.0f} ms",
           totals.retransformed, totals.loaded, totals.longest_batch_ms);
}

bool Patches::may_want(std::string_view internal_name, bool is_platform) {
  const auto all = patchers();
  return std::ranges::any_of(*all,
                             [&](auto* one) { return one->may_want(internal_name, is_platform); });
}

bool Patches::needs_change(jclass klass, std::string_view internal_name, bool is_platform) {
  const auto all = patchers();
  return std::ranges::any_of(
      *all, [&](Patcher* one) { return one->needs_change(klass, internal_name, is_platform); });
}

void Patches::incomplete(const std::string& reason) {
  const auto all = patchers();
  for (Patcher* const one : *all) one->incomplete(reason);
}

void Patches::refused(std::string_view internal_name, const std::string& reason) {
  const auto all = patchers();
  for (Patcher* const one : *all) one->refused(internal_name, reason);
}

std::optional<bci::Bytes> Patches::rewrite(JNIEnv* jni, const LoadingClass& loading,
                                           bci::ByteSpan class_file) {
  std::vector<std::pair<Patcher*, std::vector<Patcher::Part>>> asked;
  const auto all = patchers();
  for (Patcher* const one : *all) {
    if (!one->may_want(loading.internal_name, loading.is_platform)) continue;
    asked.emplace_back(one, one->parts(jni, loading, class_file));
  }
  std::vector<bci::PlanToApply> plans;
  for (auto& [one, parts] : asked) {
    for (Patcher::Part& part : parts) plans.push_back({part.plan.get(), part.ids, &part.result});
  }
  bci::RewriteResult rewritten = bci::patch_class(class_file, plans);
  for (const auto& [one, parts] : asked) one->patched(jni, loading, class_file, parts);
  if (rewritten.status != bci::RewriteStatus::kChanged) return std::nullopt;
  return std::move(rewritten.bytes);
}

}  // namespace ddm
