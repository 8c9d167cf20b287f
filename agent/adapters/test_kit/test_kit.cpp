#include "adapters/test_kit/test_kit.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "adapters/test_kit/scope_text.h"
#include "allocations/store/scope_figures.h"
#include "core/log.h"
#include "vm/java_text.h"
#include "vm/jvmti_error.h"

namespace ddm {
namespace {

std::atomic<TestKit*> g_test_kit{nullptr};

// No C++ exception may pass through Java.
template <typename Value, typename Work>
Value with_kit(Value otherwise, Work work) {
  TestKit* const kit = g_test_kit;
  if (kit == nullptr) return otherwise;
  try {
    return work(*kit);
  } catch (const std::exception& failure) {
    log_error("in a call of ddm-test.jar: {}", failure.what());
    return otherwise;
  }
}

ScopeRoot root_of(JNIEnv* jni, jint rule, jstring class_name, jstring method) {
  constexpr auto kLast = static_cast<jint>(ScopeRoot::Rule::kNothing);
  return {static_cast<ScopeRoot::Rule>(std::clamp(rule, 0, kLast)), java_text(jni, class_name),
          java_text(jni, method)};
}

}  // namespace

void TestKit::opened(JNIEnv*, bool) { g_test_kit = this; }

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

extern "C" {

// Null: allocations are counted from now on; otherwise the reason why not, as UTF-8.
JNIEXPORT jbyteArray JNICALL Java_ddm_test_AgentLink_prepare(JNIEnv* jni, jclass) {
  const std::string why = ddm::with_kit(std::string("the agent is not there yet"),
                                        [&](ddm::TestKit& kit) { return kit.prepare(jni); });
  return why.empty() ? nullptr : ddm::java_bytes(jni, why);
}

// The rule's numbers are those of ddm::ScopeRoot::Rule.
JNIEXPORT jlong JNICALL Java_ddm_test_AgentLink_begin(JNIEnv* jni, jclass, jint rule,
                                                      jstring class_name, jstring method,
                                                      jboolean live) {
  return ddm::with_kit(jlong{0}, [&](ddm::TestKit& kit) {
    return static_cast<jlong>(
        kit.begin(jni, ddm::root_of(jni, rule, class_name, method), live == JNI_TRUE));
  });
}

JNIEXPORT void JNICALL Java_ddm_test_AgentLink_end(JNIEnv*, jclass, jlong scope) {
  ddm::with_kit(0, [&](ddm::TestKit& kit) {
    kit.end(static_cast<ddm::ScopeNumber>(scope));
    return 0;
  });
}

// Null: there is no such scope any more.
JNIEXPORT jbyteArray JNICALL Java_ddm_test_AgentLink_take(JNIEnv* jni, jclass, jlong scope,
                                                          jint most_sites, jint most_frames) {
  const std::string text = ddm::with_kit(std::string(), [&](ddm::TestKit& kit) {
    return kit.take(static_cast<ddm::ScopeNumber>(scope),
                    static_cast<std::size_t>(std::max(most_sites, 0)),
                    static_cast<std::size_t>(std::max(most_frames, 0)));
  });
  return text.empty() ? nullptr : ddm::java_bytes(jni, text);
}

JNIEXPORT jlong JNICALL Java_ddm_test_AgentLink_beginLines(JNIEnv*, jclass) {
  return ddm::with_kit(jlong{0},
                       [](ddm::TestKit& kit) { return static_cast<jlong>(kit.begin_lines()); });
}

// Null: there is no such scope any more.
JNIEXPORT jbyteArray JNICALL Java_ddm_test_AgentLink_takeLines(JNIEnv* jni, jclass, jlong scope,
                                                               jlong file, jstring test) {
  const std::string text = ddm::with_kit(std::string(), [&](ddm::TestKit& kit) {
    return kit.take_lines(static_cast<ddm::ScopeNumber>(scope), static_cast<std::uint64_t>(file),
                          ddm::java_text(jni, test));
  });
  return text.empty() ? nullptr : ddm::java_bytes(jni, text);
}
}
