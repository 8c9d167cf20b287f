#include "vm/class_methods.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bci/constant_pool.h"
#include "bci/opcodes.h"
#include "vm/id_creation.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

bool code_calls(const bci::ConstantPool& pool, bci::ByteSpan code, std::string_view callee) {
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t length = bci::instruction_length(code, at);
    if (length == 0) return true;  // not parseable
    if (code[at] == bci::kInvokestatic) {
      const auto method = pool.member(bci::read_u2(&code[at + 1]));
      if (method && method->owner == callee) return true;
    }
    at += length;
  }
  return false;
}

template <typename IsIt>
bool any_of_methods(jvmtiEnv* jvmti, jclass klass, const IsIt& is_it) {
  jint count = 0;
  JvmtiPtr<jmethodID> methods(jvmti);
  {
    const auto turn = id_creation::turn(jvmti);
    if (jvmti->GetClassMethods(klass, &count, methods.out()) != JVMTI_ERROR_NONE) return true;
  }
  return std::any_of(methods.get(), methods.get() + count, is_it);
}

}  // namespace

bool has_method(jvmtiEnv* jvmti, jclass klass, const IsMethod& is_it) {
  return any_of_methods(jvmti, klass, [&](jmethodID method) {
    JvmtiPtr<char> name(jvmti), descriptor(jvmti);
    return jvmti->GetMethodName(method, name.out(), descriptor.out(), nullptr) ==
               JVMTI_ERROR_NONE &&
           is_it(text_of(name), text_of(descriptor));
  });
}

bool has_code(jvmtiEnv* jvmti, jclass klass, const std::function<bool(bci::ByteSpan)>& is_it) {
  return any_of_methods(jvmti, klass, [&](jmethodID method) {
    jint size = 0;
    JvmtiPtr<unsigned char> code(jvmti);
    return jvmti->GetBytecodes(method, &size, code.out()) == JVMTI_ERROR_NONE &&
           is_it({code.get(), static_cast<std::size_t>(size)});
  });
}

bool calls_static_of(jvmtiEnv* jvmti, jclass klass, std::string_view callee) {
  jint count = 0, size = 0;
  JvmtiPtr<unsigned char> bytes(jvmti);
  if (jvmti->GetConstantPool(klass, &count, &size, bytes.out()) != JVMTI_ERROR_NONE) return false;
  const std::string_view text(reinterpret_cast<const char*>(bytes.get()),
                              static_cast<std::size_t>(size));
  if (text.find(callee) == std::string_view::npos) return false;
  bci::ByteReader in({bytes.get(), text.size()});
  bci::SkipReason why{};
  const auto pool = bci::ConstantPool::parse(in, static_cast<std::uint16_t>(count), why);
  return !pool || has_code(jvmti, klass,
                           [&](bci::ByteSpan code) { return code_calls(*pool, code, callee); });
}

}  // namespace ddm
