// The VM's management interface (jmm.h of the JDK), reached without any Java class: libjvm exports
// JVM_GetManagement for its own java.management library. Absent or of another version: the caller
// does without.
#pragma once

#include <jni.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddm::management {

// What `jcmd PID COMMAND` would print. None when the interface or the command is not there, or it
// failed. Attached threads in the live phase.
std::optional<std::string> run_diagnostic_command(JNIEnv* jni, const std::string& command);

// All java.lang.management.MemoryPoolMXBean, the MemoryUsage of one, and that of the Java heap, as
// local references. Null, with no exception left, when they cannot be had.
jobjectArray memory_pools(JNIEnv* jni);
jobject memory_pool_usage(JNIEnv* jni, jobject pool);
jobject heap_usage(JNIEnv* jni);

// What java.lang.management.ThreadInfo knows of one thread. Times in ms, -1: not measured.
struct ThreadInfo {
  std::int64_t id = 0;  // Java's
  std::int64_t blocked_count = 0, blocked_ms = -1;
  std::int64_t waited_count = 0, waited_ms = -1;
  std::string lock;              // "java.lang.Object@61c0dc78", what it waits for; "" = nothing
  std::int64_t lock_owner = -1;  // -1: nobody, or it waits for nothing
  std::string lock_owner_name;
};
// Of those that live, by Java's ids from 1 on. Empty where it cannot be had.
std::vector<ThreadInfo> thread_infos(JNIEnv* jni, const std::vector<std::int64_t>& ids);

// Whether the VM measures how long threads are blocked and wait. None: that cannot be had.
std::optional<bool> contention_timed(JNIEnv* jni);
void time_contention(JNIEnv* jni, bool on);

struct Collector {
  std::string name;  // "G1 Young Generation"
  std::int64_t count = 0;
  std::int64_t ms = 0;
};
std::vector<Collector> collectors(JNIEnv* jni);

// Writes all reachable objects as an hprof file, after a full collection unless `collects` is
// false (some collectors then leave dead ones in it). The path is ASCII (the
// VM takes another one for text in the platform's encoding); the file must not exist and gets mode
// 0600. Returns "" or what went wrong. The program stands still meanwhile. `java_path`: the path,
// where it was made when there still was room in the heap; else null.
std::string dump_heap(JNIEnv* jni, const std::string& path, jstring java_path, bool collects);

}  // namespace ddm::management
