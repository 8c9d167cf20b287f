#include "vm/class_changes/redefined_files.h"

#include <utility>

#include "core/log.h"
#include "vm/boot_class.h"
#include "vm/vm_facts.h"

namespace ddm {
namespace {

constexpr int kFirstThatRemembers = 20;
constexpr std::size_t kMostBytes = 64 << 20;

}  // namespace

RedefinedFiles::RedefinedFiles(jvmtiEnv* jvmti, JNIEnv* jni) {
  if (vm_feature_release(jvmti) >= kFirstThatRemembers) return;
  count_ = find_field(jni, "java/lang/Class", "classRedefinedCount", "I");
  if (count_ == nullptr) log_info("this VM does not show redefinitions of classes");
}

void RedefinedFiles::redefining(JNIEnv* jni, jclass klass, HookedClasses::Key key,
                                bci::ByteSpan file) {
  const jint count = jni->GetIntField(klass, count_);
  const std::lock_guard lock(mutex_);
  Files& files = settled(key, count);
  // Otherwise an older one would be installed again.
  if (bytes_ + file.size() > kMostBytes) drop(files.now);
  if (bytes_ + file.size() > kMostBytes) {
    if (!std::exchange(full_, true)) {
      log_warn(
          "other agents redefine more classes than are kept: the VM forgets these redefinitions"
          " when a class is changed again");
    }
    return;
  }
  files.next = bci::Bytes(file.begin(), file.end());
  files.count = count;
  bytes_ += file.size();
}

std::optional<bci::Bytes> RedefinedFiles::current(JNIEnv* jni, jclass klass,
                                                  HookedClasses::Key key) {
  const jint count = jni->GetIntField(klass, count_);
  const std::lock_guard lock(mutex_);
  if (!files_.contains(key)) return {};
  return settled(key, count).now;
}

RedefinedFiles::Files& RedefinedFiles::settled(HookedClasses::Key key, jint count) {
  Files& files = files_[key];
  if (files.next && files.count != count) std::swap(files.now, files.next);
  drop(files.next);
  return files;
}

void RedefinedFiles::drop(std::optional<bci::Bytes>& file) {
  if (file) bytes_ -= file->size();
  file.reset();
}

}  // namespace ddm
