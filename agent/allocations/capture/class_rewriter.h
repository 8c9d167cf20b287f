// Selects the hooks for classes with engine=bci: the list of transformations, and the statistics of
// what was rewritten or skipped. Any thread.
//
// Allocations are hooked at:
//   Object.<init>                               every object whose constructor runs
//   newarray, anewarray, multianewarray         arrays, inner ones included
//   calls of C2 intrinsics and natives (library_call.cpp: _copyOf, _copyOfRange, _newArray, _clone,
//   _allocateUninitializedArray, _toBytesU, _allocateInstance): a hook inside such a method is lost
//   when C2 compiles the caller, so the hook follows the call, and the method's own array
//   instructions have no hooks;
//   the ends of StringBuilder chains, unless -XX:-OptimizeStringConcat is given;
//   calls of valueOf() of the boxes, unless -XX:-EliminateAutoBox is given. The last two kinds of
//   hooks count nothing: they keep C2 from eliminating allocations that other hooks count.
//   calls of constructors, of Constructor.newInstance() and the like, after which objects are complete;
//   only for an ObjectListener;
//   ends of Thread constructors, which tell Scopes a thread's creator; these count nothing either.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "allocations/capture/engine.h"
#include "bci/rewrite.h"
#include "bci/skipped_code.h"
#include "stack/rewritten_methods.h"

namespace ddm {

// The class whose constructors are always hooked.
inline constexpr const char* kThreadClass = "java/lang/Thread";

class ClassRewriter {
 public:
  explicit ClassRewriter(RewrittenMethods& moves);

  // The class with hooks; nullopt if it needs none or cannot have them.
  std::optional<bci::Bytes> rewrite(bci::ByteSpan class_file);

  // Whether a class may need hooks, by its constant pool (from JVMTI); if that is not conclusive,
  // by the bytecode of its methods. "No" is certain.
  enum class Need { kNoHasThem, kMaybe, kScanCode };
  Need need_of(bci::ByteSpan pool, std::uint16_t count) const;
  static bool code_may_need_hooks(bci::ByteSpan bytecode);

  // Also hooks where new objects are complete: after constructor calls, and after calls that create
  // objects without `new`. Rewritten classes get these hooks at their next rewriting.
  void hook_constructed() { hooks_constructed_ = true; }
  bool hooks_constructed() const { return hooks_constructed_; }

  // The VM rejected the rewritten class.
  void refused(const std::string& reason);

  EngineCounters counters() const;

 private:
  RewrittenMethods& moves_;
  const bool merged_strings_;  // compilers may merge StringBuilder chains
  std::vector<bci::MethodPattern> callees_;
  bci::ObjectInitHook objects_;
  bci::ArrayHook arrays_;
  bci::ConstructedHook threads_;
  bci::CallSiteHook calls_;
  bci::NewSiteHook new_sites_;
  bci::CallSiteHook makers_;  // calls that may create an object
  std::atomic<bool> hooks_constructed_{false};

  mutable std::mutex mutex_;
  bci::SkippedCode skipped_;
  std::int64_t classes_rewritten_ = 0;
};

}  // namespace ddm
