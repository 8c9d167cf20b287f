#include "adapters/test_kit/test_kit.h"

#include <utility>

#include "adapters/test_kit/kit_natives.h"
#include "adapters/test_kit/scope_text.h"
#include "allocations/store/scope_figures.h"
#include "core/log.h"
#include "vm/jvmti_error.h"

namespace ddm {

void TestKit::opened(JNIEnv*, bool) { set_test_kit(this); }

std::string TestKit::prepare(JNIEnv* jni) {
  if (tracking_ == nullptr) return "allocations of this VM cannot be tracked";
  context_.service.start_lanes(jni);  // for what tracking has to do in the background
  return tracking_->count_scopes(jni);
}

std::optional<LiveBySite> TestKit::alive_now() {
  const jvmtiError error = context_.jvmti->ForceGarbageCollection();
  if (error == JVMTI_ERROR_NONE) return tracking_->live_by_site();
  log_warn("what is alive is not known: ForceGarbageCollection: {}", jvmti_error_name(error));
  return std::nullopt;
}

ScopeNumber TestKit::begin(JNIEnv* jni, ScopeRoot root, bool live) {
  if (tracking_ == nullptr) return 0;
  std::optional<LiveBySite> before;
  if (live && tracking_->follow_scopes(jni)) before = alive_now();
  const ScopeNumber scope = tracking_->begin_scope(jni, std::move(root));
  if (before) {
    const std::lock_guard lock(mutex_);
    alive_before_[scope] = std::move(*before);
  }
  return scope;
}

void TestKit::end(ScopeNumber scope) {
  if (tracking_ != nullptr) tracking_->scopes().end(scope);
}

std::string TestKit::take(ScopeNumber scope, std::size_t most_sites, std::size_t most_frames) {
  if (tracking_ == nullptr) return "";
  const NameTable& names = tracking_->names();
  const std::shared_ptr<const void> held = names.hold();
  const auto ended = tracking_->scopes().take(scope);
  if (!ended) return "";
  const ScopeFigures figures = figures_of(*ended, names);
  std::optional<LiveBySite> before;
  {
    const std::lock_guard lock(mutex_);
    if (auto found = alive_before_.extract(scope)) before = std::move(found.mapped());
  }
  std::optional<LiveAmount> alive;
  if (before) {
    if (const auto now = alive_now()) alive = live_of(figures, *before, *now);
  }
  return scope_text(figures, alive, names, most_sites, most_frames);
}

}  // namespace ddm
