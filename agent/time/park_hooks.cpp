#include "time/park_hooks.h"

#include <string_view>
#include <utility>

#include "bci/opcodes.h"
#include "bci/rewrite.h"
#include "time/monitor_times.h"
#include "vm/boot_class.h"
#include "vm/bound_class.h"
#include "vm/jvmti_memory.h"

namespace ddm {

// Class files compiled from java/tracker.
extern const unsigned char kTrackerParks[];
extern const std::size_t kTrackerParksSize;
extern const unsigned char kTrackerParksLink[];
extern const std::size_t kTrackerParksLinkSize;

namespace {

constexpr const char* kParksClass = "java/lang/DdmTrackerParks";
constexpr const char* kLockSupport = "java/util/concurrent/locks/LockSupport";
constexpr const char* kVirtualThread = "java/lang/VirtualThread";  // from 21 on

std::atomic<MonitorTimes*> g_listener{nullptr};

template <bool pinned, bool begin>
void JNICALL park_event(JNIEnv* jni, jclass) {
  if (MonitorTimes* listener = g_listener) listener->parks(jni, pinned, begin);
}

// One per process, like the listener.
BoundClass& parks_class() {
  static BoundClass& parks = *new BoundClass(
      {kParksClass, kTrackerParks, kTrackerParksSize},
      {"java/lang/DdmTrackerParksLink", kTrackerParksLink, kTrackerParksLinkSize},
      {native_method("parking", "()V", reinterpret_cast<void*>(park_event<false, true>)),
       native_method("parked", "()V", reinterpret_cast<void*>(park_event<false, false>)),
       native_method("pinning", "()V", reinterpret_cast<void*>(park_event<true, true>)),
       native_method("pinned", "()V", reinterpret_cast<void*>(park_event<true, false>))});
  return parks;
}

// Hooks around every call that parks: after it, and before it once Thread.parkBlocker is set.
class ParkCalls final : public bci::Transformation {
 public:
  bool holds_hook(std::string_view class_name) const override { return class_name == kParksClass; }

  void apply(bci::ClassContext& context) const override {
    const bool virtual_thread = context.name() == kVirtualThread;
    for (bci::MethodContext& method : context.methods()) {
      if (!method.has_code()) continue;
      if (virtual_thread && method.name() != "parkOnCarrierThread") continue;
      bci::CodeEditor* editor = method.editor();
      if (editor == nullptr) continue;
      for (bci::Label at = 0; at < editor->code().end_label(); ++at) {
        const bci::ByteSpan bytes = editor->code().bytes_of(at);
        if (!bci::is_invoke(bytes[0]) || !parks(context.pool(), bytes)) continue;
        editor->before(at, call(*editor, virtual_thread ? "pinning" : "parking"));
        editor->after(at, call(*editor, virtual_thread ? "pinned" : "parked"));
      }
    }
  }

 private:
  static bool parks(const bci::ConstantPool& pool, bci::ByteSpan call) {
    const auto callee = pool.member(static_cast<std::uint16_t>(call[1] << 8 | call[2]));
    return callee && ((callee->owner == "jdk/internal/misc/Unsafe" && callee->name == "park") ||
                      // JDK 21's LockSupport for virtual threads: park() and parkUntil().
                      (callee->owner == "jdk/internal/misc/VirtualThreads" &&
                       callee->name.starts_with("park")) ||
                      callee->name == "parkVirtualThread");
  }
  static bci::Snippet call(bci::CodeEditor& editor, const char* hook) {
    return editor.snippet().call({kParksClass, hook, "()V"});
  }
};

}  // namespace

bool ParkHooks::may_want(std::string_view internal_name, bool is_platform) {
  return hooked_ && is_platform &&
         (internal_name == kLockSupport || internal_name == kVirtualThread);
}

std::optional<bci::Bytes> ParkHooks::rewrite(JNIEnv*, const LoadingClass&,
                                             bci::ByteSpan class_file) {
  const ParkCalls calls;
  const bci::Transformation* const all[] = {&calls};
  bci::RewriteResult result = bci::rewrite(class_file, all);
  if (result.status != bci::RewriteStatus::kChanged) return std::nullopt;
  return std::move(result.bytes);
}

bool ParkHooks::needs_change(jclass, std::string_view internal_name, bool is_platform) {
  return may_want(internal_name, is_platform);
}

void ParkHooks::incomplete(const std::string& reason) { incomplete_ = reason; }

std::string ParkHooks::prepare(JNIEnv* jni) {
  if (!classes_.empty()) return "";
  std::string error;
  hooks_ = ClassHooks::of_process(jni, error);
  if (hooks_ != nullptr) error = hooks_->define(jni, parks_class());
  if (!error.empty()) return error;
  for (const char* name : {kLockSupport, kVirtualThread}) {
    const LocalRef<jclass> found(jni, find_boot_class(jni, name));
    if (found) classes_.push_back(static_cast<jclass>(jni->NewGlobalRef(found.get())));
  }
  return classes_.empty() ? "there is no LockSupport" : "";
}

std::string ParkHooks::change(bool hooked) {
  hooked_ = hooked;
  incomplete_.clear();
  hooks_->retransform(*this, classes_);
  return incomplete_;
}

std::string ParkHooks::start(JNIEnv* jni, MonitorTimes& listener) {
  if (hooked_) return "";
  std::string error = prepare(jni);
  if (error.empty()) error = hooks_->switch_on(*this);
  if (!error.empty()) return error;
  g_listener = &listener;
  error = change(true);
  if (!error.empty()) stop();  // one of the classes may have been changed
  return error;
}

std::string ParkHooks::stop() {
  if (!hooked_) return "";
  g_listener = nullptr;
  const std::string error = change(false);
  const std::string events = hooks_->switch_off(*this);
  return error.empty() ? events : error;
}

}  // namespace ddm
