// Ends of calls without an event: a constructor whose this() or super() throws has none. They are found
// where many calls are open, and where the thread or the program ends.
#include <exception>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/class_names.h"
#include "time/call_recorder.h"
#include "vm/id_creation.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr MethodNumber kNoneEntered = MethodNumbers::kMost;

// ThreadEnd also comes, just before VMDeath, on the thread that ends the program: in the midst of
// System.exit() or Runtime.halt().
bool ends_program(jvmtiEnv* jvmti) {
  jint frames = 0;
  return jvmti->GetFrameCount(nullptr, &frames) == JVMTI_ERROR_NONE && frames > 0;
}

std::optional<MethodNumber> number_of_method(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method,
                                             const MethodNumbers& numbers) {
  LocalRef<jclass> owner(jni, nullptr);
  JvmtiPtr<char> class_signature(jvmti), name(jvmti), signature(jvmti);
  if (jvmti->GetMethodDeclaringClass(method, owner.out()) != JVMTI_ERROR_NONE ||
      jvmti->GetClassSignature(owner.get(), class_signature.out(), nullptr) != JVMTI_ERROR_NONE ||
      jvmti->GetMethodName(method, name.out(), signature.out(), nullptr) != JVMTI_ERROR_NONE) {
    return {};
  }
  return numbers.find(internal_name_of(text_of(class_signature)), text_of(name),
                      text_of(signature));
}

// The hooked methods on the current thread's stack, by JVMTI: expensive and rarely used. Innermost
// first, without `entered`, the method being entered. Attached threads, virtual ones included.
std::vector<MethodNumber> methods_on_stack(jvmtiEnv* jvmti, JNIEnv* jni,
                                           const MethodNumbers& numbers, MethodNumber entered) {
  std::vector<MethodNumber> methods;
  jint count = 0;
  if (jvmti->GetFrameCount(nullptr, &count) != JVMTI_ERROR_NONE || count <= 0) return methods;
  std::vector<jvmtiFrameInfo> frames(static_cast<std::size_t>(count));
  {
    const auto turn = id_creation::turn(jvmti);
    if (jvmti->GetStackTrace(nullptr, 0, count, frames.data(), &count) != JVMTI_ERROR_NONE) {
      return methods;
    }
  }
  frames.resize(static_cast<std::size_t>(count));
  std::unordered_map<jmethodID, std::optional<MethodNumber>> known;
  for (const jvmtiFrameInfo& frame : frames) {
    const auto [one, is_new] = known.try_emplace(frame.method);
    if (is_new) one->second = number_of_method(jvmti, jni, frame.method, numbers);
    if (one->second) methods.push_back(*one->second);
  }
  if (!methods.empty() && methods.front() == entered) methods.erase(methods.begin());
  return methods;
}

}  // namespace

// The caller of such a constructor may never return.
void CallRecorder::end_unseen(JNIEnv* jni, State& state, const Session& session, OpenCalls& calls,
                              MethodNumber entered) noexcept {
  try {
    bool may_have_ended = calls.is_deep();
    if (!may_have_ended) {
      calls.for_each(0, [&](const OpenCalls::Ended& open) {
        may_have_ended |= numbers_.names_of(open.method).method == "<init>";
      });
    }
    if (may_have_ended) {
      end_all_but(methods_on_stack(jvmti_, jni, numbers_, entered), jni, state, session, calls);
    }
  } catch (const std::exception&) {  // no memory
  }
  calls.checked();
}

// What is on the stack of a thread that ends has a hooked end: of a virtual one VirtualThread.run.
void CallRecorder::end_thread(JNIEnv* jni, State& state, const Session& session,
                              OpenCalls& calls) noexcept {
  if (calls.depth() == 0) return;
  try {
    const auto on_stack = methods_on_stack(jvmti_, jni, numbers_, kNoneEntered);
    if (end_all_but(on_stack, jni, state, session, calls)) return;
  } catch (const std::exception&) {  // no memory
  }
  calls.clear();
}

void CallRecorder::thread_ending(JNIEnv* jni) {
  State* const state = t_state;
  if (state == nullptr) return;
  CallRecorder& recorder = *t_recorder;
  const bool calls_still_run = ends_program(recorder.jvmti_);
  {
    const Reclamation::Reading reading(place_of(state));
    const Session* const session = recorder.session_.load(std::memory_order_acquire);
    if (session != nullptr && session->log_alone == nullptr &&
        recorder.state_for(state, *session) != nullptr) {
      if (!calls_still_run) {
        recorder.end_thread(jni, *state, *session, state->own);
      } else if (OpenCalls* const calls = recorder.calls_of_current(jni, *state)) {
        recorder.end_unseen(jni, *state, *session, *calls, kNoneEntered);
      }
    }
  }
  if (calls_still_run) return;
  const std::lock_guard lock(recorder.mutex_);
  state->forget_thread();
}

void CallRecorder::virtual_thread_end(JNIEnv* jni, jthread thread) {
  const Reclamation::Reading reading(place_of(t_state));
  const Session* const session = session_.load(std::memory_order_acquire);
  if (session == nullptr || session->log_alone != nullptr || !fields_) return;
  const std::int64_t id = fields_->id(jni, thread);
  OpenCalls* const calls = virtual_calls_.find(id);
  if (calls == nullptr) return;
  State* const state = state_for(t_state, *session);
  if (state != nullptr && calls_of_current(jni, *state) == calls) {
    end_thread(jni, *state, *session, *calls);
    if (calls->depth() != 0) return;
    state->current = nullptr;
  }
  calls->clear();
  virtual_calls_.forget(id, calls);
}

}  // namespace ddm
