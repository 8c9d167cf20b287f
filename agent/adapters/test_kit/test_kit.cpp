#include "adapters/test_kit/test_kit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <utility>

#include "core/jvm_text.h"
#include "core/log.h"
#include "vm/java_call.h"
#include "vm/java_text.h"
#include "vm/jvmti_error.h"

namespace ddm {
namespace {

std::atomic<TestKit*> g_test_kit{nullptr};

template <typename Value, typename Work>
Value with_kit(Value otherwise, Work work) {
  return guarded_call("in a call of ddm-test.jar", g_test_kit.load(), otherwise, work);
}

ScopeRoot root_of(JNIEnv* jni, jint rule, jstring class_name, jstring method) {
  constexpr auto kLast = static_cast<jint>(ScopeRoot::Rule::kNothing);
  return {static_cast<ScopeRoot::Rule>(std::clamp(rule, 0, kLast)), java_text(jni, class_name),
          java_text(jni, method)};
}

// A scope's figures in the form that ddm-test.jar reads.
//
//   | objects TAB bytes TAB objects of first uses TAB their bytes TAB lost
//             TAB objects that are alive TAB their bytes (-1: not known)           | of all sites
//   | objects TAB bytes TAB flags TAB class { TAB class SOH method SOH file SOH line } | a site a line,
//                                                             the innermost frame first, most bytes first
//
// flags: 'f' of a first use, 'o' of the thread that the scope is of; '-' for either that is not so.
// Behind them, if some of the site's objects are alive: how many, ':' and their bytes.

// The name as UTF-8, without the format's separators.
std::string one_name(const std::string& name) {
  std::string text = utf8_of(name);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return text;
}

void append_frame(std::string& text, const MethodName& method, std::int32_t bci) {
  text += fmt::format("\t{}\x01{}\x01{}\x01{}", one_name(method.class_name),
                      one_name(method.method), one_name(method.file), line_of(method, bci));
}

// The first line, with its line feed.
std::string scope_sums(const ScopeFigures& figures, const std::optional<LiveAmount>& alive) {
  LiveAmount own, first;
  for (const ScopeSite& site : figures.list) {
    LiveAmount& sums = site.first_use ? first : own;
    sums.objects += site.objects;
    sums.bytes += site.bytes;
  }
  const LiveAmount living = alive.value_or(LiveAmount{-1, -1});
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", own.objects, own.bytes, first.objects,
                     first.bytes, figures.lost, living.objects, living.bytes);
}

// Totals cover all sites; at most `most` sites are written, with at most `most_frames` frames each.
std::string scope_text(const ScopeFigures& figures, const std::optional<LiveAmount>& alive,
                       const NameTable& names, std::size_t most, std::size_t most_frames) {
  std::string text = scope_sums(figures, alive);
  const CallTree& tree = figures.sites->traces();
  std::array<Frame, kMaxTreeDepth + 1> buffer;
  for (std::size_t i = 0; i < std::min(most, figures.list.size()); ++i) {
    const ScopeSite& site = figures.list[i];
    text += fmt::format("{}\t{}\t{}{}", site.objects, site.bytes, site.first_use ? 'f' : '-',
                        site.own ? 'o' : '-');
    if (site.alive.objects > 0) text += fmt::format("{}:{}", site.alive.objects, site.alive.bytes);
    text += "\t" + one_name(names.class_name(site.class_id));
    const std::size_t count =
        std::min({tree.read(site.trace, buffer), std::size_t{site.frames}, most_frames});
    for (const Frame& frame : std::span(buffer).first(count)) {
      append_frame(text, names.method(frame.method), frame.bci);
    }
    text += '\n';
  }
  return text;
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

ScopeNumber TestKit::begin_scope(JNIEnv* jni, ScopeRoot root, bool live) {
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

void TestKit::end_scope(ScopeNumber scope) {
  if (tracking_ != nullptr) tracking_->scopes().end(scope);
}

std::optional<TestKit::Taken> TestKit::take_figures(ScopeNumber scope) {
  if (tracking_ == nullptr) return std::nullopt;
  std::optional<LiveBySite> before;
  {
    const std::lock_guard lock(mutex_);
    if (auto found = alive_before_.extract(scope)) before = std::move(found.mapped());
  }
  Taken taken;
  taken.names_held = tracking_->names().hold();
  const auto ended = tracking_->scopes().take(scope);
  if (!ended) return std::nullopt;
  {
    const std::lock_guard lock(figures_mutex_);
    taken.figures = figures_of(*ended, tracking_->names(), kinds_);
  }
  if (before) {
    if (const auto now = alive_now()) taken.alive = find_alive(taken.figures, *before, *now);
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
        kit.begin_scope(jni, ddm::root_of(jni, rule, class_name, method), live == JNI_TRUE));
  });
}

JNIEXPORT void JNICALL Java_ddm_test_AgentLink_end(JNIEnv*, jclass, jlong scope) {
  ddm::with_kit(0, [&](ddm::TestKit& kit) {
    kit.end_scope(static_cast<ddm::ScopeNumber>(scope));
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
