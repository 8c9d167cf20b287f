// A source of captured allocations: `bci` (rewritten bytecode) or `vm` (the VM's own events).
// Both feed one Recorder.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ddm {

struct EngineCounters {
  std::int64_t classes_rewritten = 0;
  std::map<std::string, std::int64_t> classes_skipped;  // reason -> count
  std::map<std::string, std::int64_t> methods_skipped;
  std::vector<std::string>
      methods_running;  // "a.B.method": methods whose old bytecode is still active
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual const char* name() const = 0;

  // All are called on an attached thread in the live phase and return "" or the error. prepare()
  // does the long work and records nothing; start() follows it. After a failed start nothing stays
  // enabled. After stop() the program runs as without the engine.
  virtual std::string prepare(JNIEnv* jni) = 0;
  virtual std::string start(JNIEnv* jni) = 0;
  virtual std::string stop(JNIEnv* jni) = 0;
  // After start(), at a safepoint if the VM allows one: from here on every allocation is recorded.
  virtual void begin_in_pause() {}

  // `jni` null: only what is known without entering the VM.
  virtual EngineCounters counters(JNIEnv* jni) const = 0;
};

}  // namespace ddm
