// The VM's management interface (jmm.h of the JDK), reached without any Java class: libjvm exports
// JVM_GetManagement for its own java.management library. Absent or of another version: the caller
// does without.
#pragma once

#include <jni.h>

#include <optional>
#include <string>

namespace ddm::management {

// What `jcmd PID COMMAND` would print. None when the interface or the command is not there, or it
// failed. Attached threads in the live phase.
std::optional<std::string> run_diagnostic_command(JNIEnv* jni, const std::string& command);

// All java.lang.management.MemoryPoolMXBean, the MemoryUsage of one, and that of the Java heap, as
// local references. Null, with no exception left, when they cannot be had.
jobjectArray memory_pools(JNIEnv* jni);
jobject memory_pool_usage(JNIEnv* jni, jobject pool);
jobject heap_usage(JNIEnv* jni);

// Writes all reachable objects as an hprof file, after a full collection. The path is ASCII (the
// VM takes another one for text in the platform's encoding); the file must not exist and gets mode
// 0600. Returns "" or what went wrong. The program stands still meanwhile.
std::string dump_heap(JNIEnv* jni, const std::string& path);

}  // namespace ddm::management
