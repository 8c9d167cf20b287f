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

std::optional<TestKit::Taken> TestKit::take_figures(ScopeNumber scope) {
  if (tracking_ == nullptr) return std::nullopt;
  Taken taken;
  taken.names_held = tracking_->names().hold();
  const auto ended = tracking_->scopes().take(scope);
  if (!ended) return std::nullopt;
  {
    const std::lock_guard lock(figures_mutex_);
    taken.figures = figures_of(*ended, tracking_->names(), kinds_);
  }
  std::optional<LiveBySite> before;
  {
    const std::lock_guard lock(mutex_);
    if (auto found = alive_before_.extract(scope)) before = std::move(found.mapped());
  }
  if (before) {
    if (const auto now = alive_now()) taken.alive = live_of(taken.figures, *before, *now);
  }
  return taken;
}

std::string TestKit::take(ScopeNumber scope, std::size_t most_sites, std::size_t most_frames) {
  const auto taken = take_figures(scope);
  if (!taken) return "";
  return scope_text(taken->figures, taken->alive, tracking_->names(), most_sites, most_frames);
}

std::uint64_t TestKit::begin_lines() {
  const std::lock_guard lock(figures_mutex_);
  files_.emplace_back();
  return files_.size() - 1;
}

std::string TestKit::take_lines(ScopeNumber scope, std::uint64_t file, std::string_view test) {
  const auto taken = take_figures(scope);
  if (!taken) return "";
  std::string text = scope_sums(taken->figures, taken->alive);
  const std::lock_guard lock(figures_mutex_);
  if (file < files_.size()) files_[file].append(text, test, taken->figures, tracking_->names());
  return text;
}

}  // namespace ddm
