#include "vm/value_objects.h"

#include <array>
#include <bit>
#include <cstddef>

#include "vm/capabilities.h"

namespace ddm {
namespace {

// JVMTI of JDK 28, capabilities: the second bit after the last that 17 names; the first, of JDK 21,
// is can_support_virtual_threads. Bits are counted from the lowest of the first byte.
constexpr std::size_t kSupportValueObjects = 45;

#ifndef __clang__  // 14 has no std::bit_cast of bit-fields
consteval bool is_named_bit_39() {
  jvmtiCapabilities capabilities{};
  capabilities.can_generate_resource_exhaustion_heap_events = 1;
  return std::bit_cast<std::array<unsigned char, sizeof capabilities>>(capabilities)[4] == 1 << 7;
}
// Four more are named in 17, all of one bit: 40 to 43.
static_assert(sizeof(jvmtiCapabilities) == 16 && is_named_bit_39());
#endif

// JNI of JDK 28: the function table of 17 ends with GetModule; IsVirtualThread (19),
// GetStringUTFLengthAsLong (24) and HasIdentity (28) follow.
constexpr jint kJniVersion28 = 0x001c0000;
constexpr std::size_t kHasIdentity = 236;
static_assert(offsetof(JNINativeInterface_, GetModule) == (kHasIdentity - 3) * sizeof(void*));
static_assert(sizeof(JNINativeInterface_) == (kHasIdentity - 2) * sizeof(void*));
using HasIdentity = jboolean(JNICALL*)(JNIEnv*, jobject);

}  // namespace

jvmtiCapabilities value_object_capability(jvmtiEnv* jvmti) {
  return offered_capability(jvmti, kSupportValueObjects).value_or(jvmtiCapabilities{});
}

bool has_value_objects(jvmtiEnv* jvmti) {
  return offered_capability(jvmti, kSupportValueObjects).has_value();
}

bool has_identity(JNIEnv* jni, jobject object) {
  if (jni->GetVersion() < kJniVersion28) return true;
  const auto* const functions = reinterpret_cast<void* const*>(jni->functions);
  return reinterpret_cast<HasIdentity>(functions[kHasIdentity])(jni, object) == JNI_TRUE;
}

}  // namespace ddm
