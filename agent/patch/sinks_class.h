// java.lang.DdmTrackerSinks inside the VM: what patched code calls. Defined once, into java.base,
// so that every class finds it; its natives are bound before that. For plans
// (bci/patch/patch_plan.h):
//
//   count(I)V   count(IZ)V                   a counter
//   begin()J    end(IJ)V   end(IJZ)V         a timer; thrown(IJ)V where an exception leaves
//   hit(I)V     hit(IZ)V                     tells the cell's receiver
//   value(IIJ)V value(IID)V value(IILjava/lang/Object;)V   the same with a value; Z for conditions
//   test(...)Z                               of conditions, PatchPlan::test_class
// The first int is the cell (sink_cells.h), the second of value() whatever the plan gives.
#pragma once

#include "jvm/bound_class.h"
#include "patch/sink_cells.h"

namespace ddm {

inline constexpr const char* kSinksClass = "java/lang/DdmTrackerSinks";

class SinksClass {
 public:
  // Of which there is one in the process, with its cells: both are there until it ends.
  explicit SinksClass(SinkCells& cells);

  // "" or what went wrong; once is enough. The ClassPrepare event must be on and lead to
  // prepared().
  std::string define(JNIEnv* jni);

  // The ClassPrepare event, of any class.
  void prepared(JNIEnv* jni, jclass klass) { class_.prepared(jni, klass); }

 private:
  SinkCells& cells_;
  BoundClass class_;
  jclass carrier_ = nullptr;  // a global reference
  bool defined_ = false;
};

}  // namespace ddm
