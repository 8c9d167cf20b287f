// What captures allocations. Two exist: `bci` (rewritten bytecode) and `vm` (the VM's own events).
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
  std::vector<std::string> methods_running;  // "a.B.method": old code of theirs still runs
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual const char* name() const = 0;

  // All run on an attached thread in the live phase and return "" or what went wrong. prepare()
  // does what takes long and records nothing yet; start() follows it. After a failed start nothing
  // is left switched on. After stop() the program runs as without the engine.
  virtual std::string prepare(JNIEnv* jni) = 0;
  virtual std::string start(JNIEnv* jni) = 0;
  virtual std::string stop(JNIEnv* jni) = 0;

  // Null: what is known without asking the VM.
  virtual EngineCounters counters(JNIEnv* jni) const = 0;
};

}  // namespace ddm
