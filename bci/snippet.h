// Straight-line code to be inserted into a method: it has no branch and leaves the stack unchanged,
// so it needs no stack map frame anywhere.
#pragma once

#include <cstdint>
#include <string>

#include "bci/constant_pool.h"
#include "bci/descriptor.h"

namespace bci {

// A static method that injected code calls. It must never throw, and its class must be resolvable
// from every rewritten class. Hooks return void.
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
  Snippet& load(ValueKind kind, std::uint32_t slot);
  Snippet& store(ValueKind kind, std::uint32_t slot);
  Snippet& dup(ValueKind kind = ValueKind::kReference);
  Snippet& drop(ValueKind kind);
  Snippet& push(std::int32_t value);
  Snippet& push_long(std::int64_t value);
  Snippet& push_double(double value);
  Snippet& push_float_zero();
  Snippet& push_text(std::string_view text);  // UTF-8, modified or not
  Snippet& push_class(std::string_view name);
  Snippet& push_null();
  // Pushes the field's value; the object is on the stack unless the field is static.
  Snippet& get_field(std::string_view owner, std::string_view name, std::string_view type,
                     bool is_static);
  // int to long or double, float to double; nothing else.
  Snippet& widen(ValueKind from, ValueKind to);
  Snippet& and_ints();
  Snippet& or_ints();
  // The result of the call is pushed.
  Snippet& call(const HookMethod& hook);

  const Bytes& bytes() const { return code_.bytes(); }
  // Slots needed above the existing stack.
  std::uint32_t extra_stack() const { return static_cast<std::uint32_t>(deepest_); }
  // kNone, kPoolFull, or kBadHook if the snippet changes the stack or a text is not UTF-8.
  SkipReason problem() const;

 private:
  void grow(int slots);
  // `slots`: by how many the instruction makes the stack higher.
  Snippet& one_byte(std::uint8_t opcode, int slots);
  Snippet& access_local(std::uint8_t opcode, std::uint32_t slot, int slots);
  // An instruction with an index of the pool, which is 0 if that is full.
  Snippet& indexed(std::uint8_t opcode, std::uint16_t index, int slots);

  ConstantPool* pool_;
  ByteWriter code_;
  int depth_ = 0, deepest_ = 0;
  SkipReason problem_ = SkipReason::kNone;
};

}  // namespace bci
