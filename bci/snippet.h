// A few straight instructions to be put into a method: no branch, no local of its own, nothing left
// on the stack. Such code needs no stack map frame wherever it goes.
#pragma once

#include <cstdint>
#include <string>

#include "bci/constant_pool.h"

namespace bci {

// A static method that injected code calls. It must return void, never throw, and its class must
// be found from every class that is rewritten.
struct HookMethod {
  std::string owner;  // internal name: "java/lang/DdmTracker"
  std::string name;
  std::string descriptor;  // "(Ljava/lang/Object;)V"
};

// Example, behind `anewarray`:
//   Snippet snippet(pool);
//   snippet.dup().call({"java/lang/DdmTracker", "array", "(Ljava/lang/Object;)V"});
class Snippet {
 public:
  explicit Snippet(ConstantPool& pool) : pool_(&pool) {}

  Snippet& aload_0();
  Snippet& dup();  // a value of one slot
  Snippet& push(std::int32_t value);
  Snippet& call(const HookMethod& hook);

  const Bytes& bytes() const { return code_.bytes(); }
  // Slots needed on top of what lies on the stack already.
  std::uint32_t extra_stack() const { return static_cast<std::uint32_t>(deepest_); }
  // kNone, kPoolFull, or kBadHook if the snippet does not leave the stack as it was.
  SkipReason problem() const;

 private:
  void grow(int slots);

  ConstantPool* pool_;
  ByteWriter code_;
  int depth_ = 0, deepest_ = 0;
  SkipReason problem_ = SkipReason::kNone;
};

}  // namespace bci
