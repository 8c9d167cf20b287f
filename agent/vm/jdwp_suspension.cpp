#include "vm/jdwp_suspension.h"

#include <sys/uio.h>
#include <unistd.h>

#include <new>
#include <optional>
#include <vector>

#include "vm/jdwp_agent.h"
#include "vm/own_threads.h"
#include "vm/thread_fields.h"

namespace ddm::jdwp_suspension {
namespace {

using JvmtiTable = jvmtiInterface_1_;
using OfOne = jvmtiError(JNICALL*)(jvmtiEnv*, jthread);
using OfMany = jvmtiError(JNICALL*)(jvmtiEnv*, jint, const jthread*, jvmtiError*);

// Set before the function table is changed.
struct {
  JvmtiTable* table = nullptr;
  OfOne suspend = nullptr, resume = nullptr;
  OfMany suspend_list = nullptr, resume_list = nullptr;
  JavaVM* vm = nullptr;
  std::optional<ThreadFields> threads;
  LibraryRange jdwp;
} g;

JNIEnv* attached_jni() {
  void* jni = nullptr;
  return g.vm->GetEnv(&jni, JNI_VERSION_10) == JNI_OK ? static_cast<JNIEnv*>(jni) : nullptr;
}

bool is_ours(JNIEnv* jni, jthread thread) {
  return thread != nullptr && is_own_thread(g.threads->id(jni, thread));
}

jvmtiError of_one(OfOne function, const void* caller, jvmtiEnv* jvmti, jthread thread) {
  JNIEnv* const jni = g.jdwp.contains(caller) ? attached_jni() : nullptr;
  if (jni != nullptr && is_ours(jni, thread)) return JVMTI_ERROR_NONE;
  return function(jvmti, thread);
}

// Calls the VM for the threads that are not the agent's, and stores its results at their indices in
// `results`.
jvmtiError of_others(OfMany function, JNIEnv* jni, jvmtiEnv* jvmti, jint count,
                     const jthread* threads, jvmtiError* results) {
  std::vector<jthread> others;
  std::vector<jint> places;
  for (jint i = 0; i < count; ++i) {
    if (is_ours(jni, threads[i])) {
      results[i] = JVMTI_ERROR_NONE;
    } else {
      others.push_back(threads[i]);
      places.push_back(i);
    }
  }
  if (others.empty()) return JVMTI_ERROR_NONE;
  std::vector<jvmtiError> vm_results(others.size(), JVMTI_ERROR_NONE);
  const auto wanted = static_cast<jint>(others.size());
  const jvmtiError error = function(jvmti, wanted, others.data(), vm_results.data());
  if (error != JVMTI_ERROR_NONE) return error;
  for (std::size_t i = 0; i < vm_results.size(); ++i) results[places[i]] = vm_results[i];
  return JVMTI_ERROR_NONE;
}

jvmtiError of_many(OfMany function, const void* caller, jvmtiEnv* jvmti, jint count,
                   const jthread* threads, jvmtiError* results) {
  JNIEnv* const jni = g.jdwp.contains(caller) ? attached_jni() : nullptr;
  if (jni == nullptr || count <= 0 || threads == nullptr || results == nullptr) {
    return function(jvmti, count, threads, results);
  }
  try {
    return of_others(function, jni, jvmti, count, threads, results);
  } catch (const std::bad_alloc&) {
    return function(jvmti, count, threads, results);
  }
}

// NOLINTBEGIN(readability-identifier-naming): the names of JVMTI
jvmtiError JNICALL SuspendThread(jvmtiEnv* jvmti, jthread thread) {
  return of_one(g.suspend, __builtin_return_address(0), jvmti, thread);
}

jvmtiError JNICALL ResumeThread(jvmtiEnv* jvmti, jthread thread) {
  return of_one(g.resume, __builtin_return_address(0), jvmti, thread);
}

jvmtiError JNICALL SuspendThreadList(jvmtiEnv* jvmti, jint count, const jthread* threads,
                                     jvmtiError* results) {
  return of_many(g.suspend_list, __builtin_return_address(0), jvmti, count, threads, results);
}

jvmtiError JNICALL ResumeThreadList(jvmtiEnv* jvmti, jint count, const jthread* threads,
                                    jvmtiError* results) {
  return of_many(g.resume_list, __builtin_return_address(0), jvmti, count, threads, results);
}
// NOLINTEND(readability-identifier-naming)

// The table belongs to the VM, which may have write-protected it, so a plain store could fault. The
// kernel copies an aligned word at once: another thread calls either the old or the new function.
template <class Function>
bool put(Function& place, Function function) {
  const iovec from{&function, sizeof function};
  const iovec to{static_cast<void*>(&place), sizeof function};
  return process_vm_writev(getpid(), &from, 1, &to, 1, 0) == ssize_t{sizeof function};
}

template <class Function>
void put_back(Function& place, Function ours, Function vms) {
  if (place == ours) put(place, vms);
}

}  // namespace

bool exempt_own_threads(jvmtiEnv* jvmti, JNIEnv* jni) {
  g.jdwp = jdwp_library();
  if (g.jdwp.empty() || g.table != nullptr) return true;
  g.threads = ThreadFields::find(jvmti, jni);
  if (!g.threads || jni->GetJavaVM(&g.vm) != JNI_OK) return false;
  auto* const table = const_cast<JvmtiTable*>(jvmti->functions);  // NOLINT(*-const-cast)
  g.suspend = table->SuspendThread;
  g.resume = table->ResumeThread;
  g.suspend_list = table->SuspendThreadList;
  g.resume_list = table->ResumeThreadList;
  g.table = table;
  // Resume functions are replaced before suspend functions: an agent thread never stays suspended.
  if (put(table->ResumeThread, &ResumeThread) && put(table->ResumeThreadList, &ResumeThreadList) &&
      put(table->SuspendThread, &SuspendThread) &&
      put(table->SuspendThreadList, &SuspendThreadList)) {
    return true;
  }
  restore();
  return false;
}

void restore() {
  if (g.table == nullptr) return;
  put_back(g.table->SuspendThreadList, &SuspendThreadList, g.suspend_list);
  put_back(g.table->SuspendThread, &SuspendThread, g.suspend);
  put_back(g.table->ResumeThreadList, &ResumeThreadList, g.resume_list);
  put_back(g.table->ResumeThread, &ResumeThread, g.resume);
  g.table = nullptr;
}

}  // namespace ddm::jdwp_suspension
