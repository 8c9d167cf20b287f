// Owners of memory that JVMTI allocates (Deallocate) and of JNI references.
#pragma once

#include <jvmti.h>

#include <string_view>

namespace ddm {

// Owns one JVMTI allocation: `JvmtiPtr<char> name(jvmti); jvmti->GetX(..., name.out());`
template <typename T>
class JvmtiPtr {
 public:
  explicit JvmtiPtr(jvmtiEnv* jvmti) : jvmti_(jvmti) {}
  ~JvmtiPtr() { reset(); }
  JvmtiPtr(const JvmtiPtr&) = delete;
  JvmtiPtr& operator=(const JvmtiPtr&) = delete;

  T** out() {
    reset();
    return &pointer_;
  }
  T* get() const { return pointer_; }
  T& operator[](jint i) const { return pointer_[i]; }
  explicit operator bool() const { return pointer_ != nullptr; }

 private:
  void reset() {
    if (pointer_ != nullptr) {
      jvmti_->Deallocate(reinterpret_cast<unsigned char*>(pointer_));
      pointer_ = nullptr;
    }
  }

  jvmtiEnv* const jvmti_;
  T* pointer_ = nullptr;
};

inline std::string_view text_of(const JvmtiPtr<char>& text) {
  return text ? std::string_view(text.get()) : std::string_view();
}

// A class's descriptor; without text if the VM does not give it.
class ClassSignature : public JvmtiPtr<char> {
 public:
  ClassSignature(jvmtiEnv* jvmti, jclass of) : JvmtiPtr(jvmti) {
    jvmti->GetClassSignature(of, out(), nullptr);
  }
};

// Owns one JNI local reference.
template <typename T>
class LocalRef {
 public:
  LocalRef(JNIEnv* jni, T ref) : jni_(jni), ref_(ref) {}
  ~LocalRef() {
    if (ref_ != nullptr) jni_->DeleteLocalRef(ref_);
  }
  LocalRef(const LocalRef&) = delete;
  LocalRef& operator=(const LocalRef&) = delete;

  T get() const { return ref_; }
  T* out() { return &ref_; }
  explicit operator bool() const { return ref_ != nullptr; }

 private:
  JNIEnv* const jni_;
  T ref_;
};

// Frees all local references created in a scope. good() is false when PushLocalFrame failed.
class LocalFrame {
 public:
  LocalFrame(JNIEnv* jni, jint capacity) : jni_(jni), good_(jni->PushLocalFrame(capacity) == 0) {
    if (!good_) jni_->ExceptionClear();
  }
  ~LocalFrame() {
    if (good_) jni_->PopLocalFrame(nullptr);
  }
  LocalFrame(const LocalFrame&) = delete;
  LocalFrame& operator=(const LocalFrame&) = delete;
  bool good() const { return good_; }

 private:
  JNIEnv* const jni_;
  const bool good_;
};

// Clears a pending Java exception; true if there was one.
inline bool clear_exception(JNIEnv* jni) {
  if (!jni->ExceptionCheck()) return false;
  jni->ExceptionClear();
  return true;
}

}  // namespace ddm
