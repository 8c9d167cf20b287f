// The VM's management interface (jmm.h of the JDK), called without any Java class: libjvm exports
// JVM_GetManagement for its own java.management library. If it is missing or of an unknown version,
// the functions below report that.
#pragma once

#include <jni.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddm::management {

// The output of `jcmd PID COMMAND`. nullopt: the interface or the command is missing, or it failed.
// Attached threads in the live phase.
std::optional<std::string> run_diagnostic_command(JNIEnv* jni, const std::string& command);

// All java.lang.management.MemoryPoolMXBean, the MemoryUsage of one, and that of the Java heap, as
// local references. Null, with no exception pending, if not available.
jobjectArray memory_pools(JNIEnv* jni);
jobject memory_pool_usage(JNIEnv* jni, jobject pool);
jobject heap_usage(JNIEnv* jni);

// One thread's java.lang.management.ThreadInfo. Times in ms, -1: not measured.
struct ThreadInfo {
  std::int64_t id = 0;  // Thread.getId()
  std::int64_t blocked_count = 0, blocked_ms = -1;
  std::int64_t waited_count = 0, waited_ms = -1;
  std::string
      lock;  // what it is blocked on or waits for: "java.lang.Object@61c0dc78"; "" = nothing
  std::int64_t lock_owner = -1;  // -1: unowned, or `lock` is ""
  std::string lock_owner_name;
};
// The live ones of the threads with these Java ids (> 0). Empty if not available.
std::vector<ThreadInfo> thread_infos(JNIEnv* jni, const std::vector<std::int64_t>& ids);

// Whether thread contention monitoring is enabled. nullopt: not available.
std::optional<bool> contention_timed(JNIEnv* jni);
void time_contention(JNIEnv* jni, bool on);

struct Collector {
  std::string name;  // "G1 Young Generation"
  std::int64_t count = 0;
  std::int64_t ms = 0;
};
std::vector<Collector> collectors(JNIEnv* jni);

// Writes an hprof file, of all live objects after a full collection, or without one if `collects`
// is false (with some collectors it then includes dead objects). `path` is ASCII, since the VM
// takes other bytes in the platform's encoding; the file must not exist and gets mode 0600. The
// program is stopped meanwhile. `java_path`: the path as a string created while the heap still had
// memory; else null. Returns "" or the error.
std::string dump_heap(JNIEnv* jni, const std::string& path, jstring java_path, bool collects);

}  // namespace ddm::management
