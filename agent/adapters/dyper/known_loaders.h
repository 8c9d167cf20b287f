// The loaders that have loaded a class of a given name, for class hooks that are called for another
// class of that name. Filled by one attached thread, then read on any.
#pragma once

#include <jni.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "vm/jvmti_memory.h"

namespace ddm {

class KnownLoaders {
 public:
  explicit KnownLoaders(JNIEnv* jni) { jni->GetJavaVM(&vm_); }
  KnownLoaders(const KnownLoaders&) = delete;
  KnownLoaders& operator=(const KnownLoaders&) = delete;
  ~KnownLoaders() {
    void* jni = nullptr;
    if (vm_ == nullptr || vm_->GetEnv(&jni, JNI_VERSION_10) != JNI_OK) return;
    for (const auto& [name, known] : of_name_) {
      for (const jweak one : known.loaders) static_cast<JNIEnv*>(jni)->DeleteWeakGlobalRef(one);
    }
  }

  // From now on the loaders of classes of that name are recorded.
  void add(const std::string& internal_name) { of_name_[internal_name]; }
  bool contains(const std::string& internal_name) const { return of_name_.contains(internal_name); }
  void add_loader(JNIEnv* jni, const std::string& internal_name, jobject loader) {
    Known& known = of_name_[internal_name];
    if (loader == nullptr) {
      known.boot = true;
    } else if (const jweak kept = jni->NewWeakGlobalRef(loader)) {
      known.loaders.push_back(kept);
    }
    clear_exception(jni);  // of memory: that class gets no patches
  }
  bool may_have(JNIEnv* jni, std::string_view internal_name, jobject loader) const {
    const auto found = of_name_.find(internal_name);
    if (found == of_name_.end()) return true;
    // IsSameObject() would find the boot loader (null) equal to an unloaded loader.
    if (loader == nullptr) return found->second.boot;
    return std::any_of(found->second.loaders.begin(), found->second.loaders.end(),
                       [&](jweak one) { return jni->IsSameObject(one, loader); });
  }

 private:
  struct Known {
    bool boot = false;
    std::vector<jweak> loaders;
  };
  JavaVM* vm_ = nullptr;
  std::map<std::string, Known, std::less<>> of_name_;
};

}  // namespace ddm
