// Finds where a constructor calls this() or super().
//
// Follows every path from the entry and tracks the uninitialized `this` (JVMS 4.10.1.9,
// invokespecial): matching `new` with <init> does not suffice for code not produced by javac. Needs
// no stack map frames, so it works for old class files and for bytecode read from a running VM.
#pragma once

#include <optional>
#include <vector>

#include "bci/code.h"

namespace bci {

struct ConstructorFlow {
  // invokespecial <init> with the uninitialized `this` as receiver, ascending; several: one per
  // path.
  std::vector<Label> super_calls;
  // The label after the last instruction that may execute before this() or super() has returned.
  Label initialized_from = 0;
};

// `code` is a constructor of a class other than java/lang/Object. nullopt for invalid code, and for
// code above the limits.
std::optional<ConstructorFlow> follow_constructor(const Code& code, const ConstantPool& pool);

// The same as bytecode indices, for bare bytecode; empty if none was found. `bytecode` may be the
// result of JVMTI's GetBytecodes and `pool` that of its GetConstantPool:
//   if (pool) bcis = bci::super_call_bcis(*pool, {bytecode, length});
// Code reachable only through exception handlers is not followed: the handlers are unknown here.
std::vector<std::uint16_t> super_call_bcis(const ConstantPool& pool, ByteSpan bytecode);

// Whether the constructor begins with `aload_0; invokespecial`, as most do: then that call, at
// bytecode index 1, is the only this() or super() call, so no constant pool is needed.
bool begins_with_super_call(ByteSpan bytecode);
inline constexpr std::uint16_t kFirstSuperCallBci = 1;

}  // namespace bci
