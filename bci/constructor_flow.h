// Where a constructor calls this() or super().
//
// Found by following every path from the entry and watching the uninitialised `this` (JVMS
// 4.10.1.9, invokespecial): counting `new` against <init> is not enough for code that no javac
// made. No stack map frames are needed, so that old class files and bytecode taken from a running
// VM work too.
#pragma once

#include <optional>
#include <vector>

#include "bci/code.h"

namespace bci {

struct ConstructorFlow {
  // invokespecial <init> with the uninitialised `this` as receiver, ascending. Several: one a
  // path.
  std::vector<Label> super_calls;
  // Behind the last instruction that may run before this() or super() has returned.
  Label initialized_from = 0;
};

// `code` is a constructor of another class than java/lang/Object. Nothing for code that makes no
// sense or that is too large to follow.
std::optional<ConstructorFlow> follow_constructor(const Code& code, const ConstantPool& pool);

// The same as bytecode indices, for bare bytecode; empty if nothing was found. `bytecode` may come
// from JVMTI's GetBytecodes and `pool` from its GetConstantPool:
//   ByteReader entries({bytes, size});
//   auto pool = bci::ConstantPool::parse(entries, count, why);
//   if (pool) bcis = bci::super_call_bcis(*pool, {bytecode, length});
// Code that only an exception handler reaches is not followed: the handlers are not known here.
std::vector<std::uint16_t> super_call_bcis(const ConstantPool& pool, ByteSpan bytecode);

// The constructor begins with `aload_0; invokespecial`, as most do: that call, at bytecode index 1,
// is the only one of its kind, which is to be seen without a pool.
bool begins_with_super_call(ByteSpan bytecode);
inline constexpr std::uint16_t kFirstSuperCallBci = 1;

}  // namespace bci
