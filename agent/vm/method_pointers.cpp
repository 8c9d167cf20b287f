#include "vm/method_pointers.h"

#include <cstdint>
#include <optional>

#include "core/own_memory.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

// The constant pool of the method's class, assuming that the jmethodID is a pointer to a Method
// pointer.
std::optional<std::uintptr_t> pool_behind(jmethodID method) {
  const auto constant = vm_structs::offset_of("Method", "_constMethod");
  const auto pool = vm_structs::offset_of("ConstMethod", "_constants");
  if (!constant || !pool) return std::nullopt;
  auto at = read_own<std::uintptr_t>(reinterpret_cast<std::uintptr_t>(method));
  if (at) at = read_own<std::uintptr_t>(*at + static_cast<std::uintptr_t>(*constant));
  if (at) at = read_own<std::uintptr_t>(*at + static_cast<std::uintptr_t>(*pool));
  return at;
}

// Two methods of one class must share a constant pool, and methods of different classes must not.
bool ids_are_addresses(JNIEnv* jni) {
  const LocalRef<jclass> object(jni, jni->FindClass("java/lang/Object"));
  const LocalRef<jclass> string(jni, jni->FindClass("java/lang/String"));
  if (clear_exception(jni) || !object || !string) return false;
  const jmethodID text = jni->GetMethodID(object.get(), "toString", "()Ljava/lang/String;");
  const jmethodID hash = jni->GetMethodID(object.get(), "hashCode", "()I");
  const jmethodID length = jni->GetMethodID(string.get(), "length", "()I");
  if (clear_exception(jni) || text == nullptr || hash == nullptr || length == nullptr) return false;
  const auto pool = pool_behind(text);
  const auto other = pool_behind(length);
  return pool && other && *pool != 0 && pool == pool_behind(hash) && *other != *pool;
}

}  // namespace

MethodPointers::MethodPointers(JNIEnv* jni) : known_(ids_are_addresses(jni)) {}

}  // namespace ddm
