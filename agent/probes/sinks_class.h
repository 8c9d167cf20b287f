// java.lang.DdmTrackerSinks inside the VM: the methods that patched code calls (sinks.h). Defined
// once, in java.base, so that every class finds it; its natives are bound before patched code runs.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "probes/object_paths.h"
#include "probes/plans/hit_costs.h"
#include "probes/plans/sinks.h"
#include "probes/sink_cells.h"
#include "vm/class_changes/class_hooks.h"

namespace ddm {

// Receives values from patched code, on the program's threads in the middle of their code, several
// at once. An implementation must not run Java code, throw or wait.
class SinkReceiver {
 public:
  virtual ~SinkReceiver() = default;

  // A hit of a cell whose values are wanted. Returns a record's number; 0: skip this hit's values.
  virtual jint opened(JNIEnv* jni, jint cell) noexcept = 0;
  // `record`: the result of opened(); `which`: from the plan. An object may be null; the reference
  // is valid until the call returns.
  virtual void kept(JNIEnv* jni, jint record, jint which, jlong value) noexcept = 0;
  virtual void kept(JNIEnv* jni, jint record, jint which, jdouble value) noexcept = 0;
  virtual void kept(JNIEnv* jni, jint record, jint which, jobject value) noexcept = 0;
};

class SinksClass {
 public:
  // One instance a process, which lives until the process ends.
  SinksClass();

  // "" or what went wrong; once is enough. Any attached thread.
  std::string define(JNIEnv* jni, ClassHooks& hooks);

  SinkCells& cells() { return cells_; }
  ObjectPaths& paths() { return paths_; }
  // How often a thread without cells of its own has called a native to count, on all threads.
  static std::int64_t shared_hits();
  // To be called before any cell's values are wanted; the receiver must live as long as they are.
  void set_receiver(SinkReceiver& receiver);

  // The costs in the current state of this VM: `rounds` hits each, measured `times` times, of which
  // the shortest counts, since other threads may have interrupted the others. Always on the same
  // thread, whose cells are kept. Zero: the measurement failed.
  HitCosts hit_costs(JNIEnv* jni, int rounds, int times = 1) const;

 private:
  SinkCells cells_;
  ObjectPaths paths_;
  BoundClass class_;
  std::mutex defining_;
};

}  // namespace ddm
