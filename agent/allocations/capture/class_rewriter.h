// Which hooks go into which classes, for engine=bci: the list of transformations, and the account
// of what was rewritten and what was not. Any thread.
//
// Where allocations are caught:
//   Object.<init>                               every object whose constructor runs
//   newarray, anewarray, multianewarray         arrays, inner ones too
//   the calls of what C2 replaces or what ends in native code (library_call.cpp: _copyOf,
//   _copyOfRange, _newArray, _clone, _allocateUninitializedArray, _toBytesU, _allocateInstance):
//   a hook inside such a method disappears with it once C2 compiles the caller, so the hook stands
//   behind the call, and the method's own array instructions are left alone;
//   the ends of StringBuilder's chains, unless the VM was told not to merge them;
//   the calls of valueOf() of the boxes, unless it was told not to leave boxes out. These two kinds
//   of hooks count nothing: they keep C2 from removing what others count.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "allocations/capture/engine.h"
#include "bci/rewrite.h"
#include "stack/rewritten_methods.h"

namespace ddm {

class ClassRewriter {
 public:
  explicit ClassRewriter(RewrittenMethods& moves);

  // The class with the hooks in, or nothing when it needs none or cannot have them.
  std::optional<bci::Bytes> rewrite(bci::ByteSpan class_file);

  // Whether a class may need hooks, judged by its constant pool (as JVMTI gives it), and if that
  // does not say, by one method's bytecode at a time. No is certain.
  enum class Need { kNoHasThem, kMaybe, kLookAtCode };
  Need need_of(bci::ByteSpan pool, std::uint16_t count) const;
  static bool code_may_need_hooks(bci::ByteSpan bytecode);

  // A class that the VM would not take in its rewritten form.
  void refused(const std::string& reason);

  EngineCounters counters() const;

 private:
  RewrittenMethods& moves_;
  const bool merged_strings_;  // compilers may merge the chains of a StringBuilder
  std::vector<bci::MethodPattern> callees_;
  bci::ObjectInitHook objects_;
  bci::ArrayHook arrays_;
  bci::CallSiteHook calls_;

  mutable std::mutex mutex_;
  EngineCounters counters_;
};

}  // namespace ddm
