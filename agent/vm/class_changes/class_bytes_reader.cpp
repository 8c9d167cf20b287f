#include "vm/class_changes/class_bytes_reader.h"

#include <mutex>
#include <utility>

#include "core/class_names.h"
#include "core/log.h"
#include "vm/class_changes/class_hooks.h"

namespace ddm {
namespace {

using ClassFiles = std::map<std::string, std::vector<std::uint8_t>>;
using AskedFor = std::function<bool(const std::string& name)>;

// A rewriting that changes nothing and, as the last one, sees the result of all others.
class ClassFileReading final : public ClassRewriting {
 public:
  ClassFiles read(JNIEnv* jni, ClassHooks& hooks, const AskedFor& wanted, std::string& error) {
    const std::lock_guard one_at_a_time(reading_);
    want(&wanted);
    error = hooks.switch_on(*this);
    if (error.empty()) hooks.retransform(jni, *this);
    hooks.switch_off(*this);
    return want(nullptr);
  }

 private:
  Order order() const override { return Order::kLast; }
  bool wants_new() const override { return false; }
  bool may_want(std::string_view internal_name, bool) override {
    const std::lock_guard lock(mutex_);
    return wanted_ != nullptr && (*wanted_)(dotted_name(internal_name));
  }
  std::optional<bci::Bytes> rewrite(JNIEnv*, const LoadingClass& loading,
                                    bci::ByteSpan class_file) override {
    const std::lock_guard lock(mutex_);
    if (wanted_ != nullptr && !loading.is_new) {
      files_[dotted_name(loading.internal_name)].assign(class_file.begin(), class_file.end());
    }
    return {};
  }
  bool needs_change(jclass, std::string_view internal_name, bool is_platform) override {
    return may_want(internal_name, is_platform);
  }
  void incomplete(const std::string& reason) override { log_debug("class files: {}", reason); }

  // Sets the filter, and returns what the previous one has collected.
  ClassFiles want(const AskedFor* wanted) {
    const std::lock_guard lock(mutex_);
    wanted_ = wanted;
    return std::exchange(files_, {});
  }

  std::mutex reading_, mutex_;
  const AskedFor* wanted_ = nullptr;
  ClassFiles files_;
};

}  // namespace

ClassFiles read_class_bytes(JNIEnv* jni, const AskedFor& wanted, std::string& error) {
  static ClassFileReading& reading =
      *new ClassFileReading;  // never deleted: a ClassFileLoadHook may be inside
  ClassHooks* const hooks = ClassHooks::of_process(jni, error);
  return hooks != nullptr ? reading.read(jni, *hooks, wanted, error) : ClassFiles{};
}

}  // namespace ddm
