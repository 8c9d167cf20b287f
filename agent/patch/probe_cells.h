// The counters of probes: rows of cells inside the VM, one for each thread of the system, in which that
// thread alone adds (DdmTrackerProbes.java), so that no hit is lost and none takes an atomic
// instruction. A figure is its cell in all rows together.
//
// Cells are handed out one after the other until nobody needs any; then all begins anew. The natives
// come on the threads concerned, all else on one attached thread.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ddm {

class ProbeCells {
 public:
  static constexpr jint kScratch = 1;  // cells that whoever measures costs adds in
  static constexpr jint kMost = 1 << 16;

  // `rows`: DdmTrackerProbes.ROWS. "" or what went wrong.
  std::string open(JNIEnv* jni, jobjectArray rows);

  // The first of so many; none: there are no more.
  std::optional<jint> take(jint count);
  // Nobody adds in any: what threads still inside a probe add is of no interest.
  void clear(JNIEnv* jni);

  // All figures, by cell.
  std::vector<std::int64_t> sums(JNIEnv* jni);

  // The natives.
  jlongArray new_row(JNIEnv* jni, jlong thread, jint last) noexcept;
  void share(jint cell, jlong amount) noexcept;

  // The platform thread that calls this runs no Java any more.
  void thread_ending(jlong thread);

 private:
  static constexpr jint kRows = 4096;  // as in the class
  static constexpr jint kFirst = 64;   // behind the scratch cells

  struct Row {
    jlongArray cells = nullptr;  // a global reference
    jlong thread = 0;            // 0: nobody's
    jint length = 0;
  };

  Row* free_row(jint length);
  bool give(JNIEnv* jni, Row& row, jlong thread);

  std::mutex mutex_;
  jobjectArray rows_ = nullptr;  // a global reference
  jlongArray none_ = nullptr;    // what stands where there is no row
  std::vector<std::unique_ptr<Row>> all_;
  std::vector<Row*> by_place_;  // of kRows
  std::unique_ptr<std::atomic<jlong>[]> shared_;
  std::atomic<jint> next_{kFirst};
};

}  // namespace ddm
