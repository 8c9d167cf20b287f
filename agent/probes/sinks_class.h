// java.lang.DdmTrackerSinks inside the VM: what patched code calls (sinks.h). Defined once, into
// java.base, so that every class finds it; its natives are bound before that.
#pragma once

#include <mutex>
#include <string>

#include "probes/plans/sinks.h"
#include "probes/sink_cells.h"
#include "vm/class_changes/class_hooks.h"

namespace ddm {

// Takes what patched code hands over. On the program's threads, in the middle of their code,
// several at once: nothing that runs Java, throws or waits.
class SinkReceiver {
 public:
  virtual ~SinkReceiver() = default;

  // A hit of a cell whose values are wanted. 0: not of this hit.
  virtual jint opened(JNIEnv* jni, jint cell) noexcept = 0;
  // `record`: what opened() returned; `which`: as the plan says. An object may be null, and is good
  // until the call returns.
  virtual void kept(JNIEnv* jni, jint record, jint which, jlong value) noexcept = 0;
  virtual void kept(JNIEnv* jni, jint record, jint which, jdouble value) noexcept = 0;
  virtual void kept(JNIEnv* jni, jint record, jint which, jobject value) noexcept = 0;
};

// What a hit costs, in nanoseconds.
struct HitCosts {
  double count = 0;   // a hit that is counted
  double test = 0;    // a condition that does not hold
  double timed = 0;   // a call that is timed
  double native = 0;  // each call of a native, without what it does
};

class SinksClass {
 public:
  // Of which there is one in the process, until it ends.
  SinksClass();

  // "" or what went wrong; once is enough. Any attached thread.
  std::string define(JNIEnv* jni, ClassHooks& hooks);

  SinkCells& cells() { return cells_; }
  // Before any cell's values are wanted; it must live as long.
  void hand_to(SinkReceiver& receiver);

  // In this VM as it is now: measured, by running each so many rounds, the last time of several.
  // Zero: it could not be.
  HitCosts hit_costs(JNIEnv* jni, int rounds, int times = 1) const;

 private:
  SinkCells cells_;
  BoundClass class_;
  std::mutex defining_;
};

}  // namespace ddm
