// Collects insertions into a method. The original instructions are not changed, and transformations
// see only them, not each other's insertions.
//
// Layout around an instruction p, and at the start of the method:
//   [entry code] L(0): [before 0] I(0): instruction 0  A(0): [after 0]
//                L(p): [before p] I(p): instruction p  A(p): [after p]   L(p+1): ...
//   [catch-all handlers]
// Branches, frames, handlers, exception ranges and debug tables refer to L; only type annotations,
// and the `new` that an uninitialized type refers to, refer to I. So a loop to bytecode index 0
// does not execute the entry code again. A range that begins after a monitorenter begins at that
// instruction's A, so that the lock is released whatever the inserted code does; one that ends after
// a monitorexit ends at its A, since what is inserted there holds the lock no more. Snippets at the
// same place execute in the order of their insertion.
#pragma once

#include <algorithm>
#include <vector>

#include "bci/added_frames.h"
#include "bci/code.h"
#include "bci/snippet.h"

namespace bci {

class CodeEditor {
 public:
  CodeEditor(Code code, ConstantPool& pool) : code_(std::move(code)), pool_(&pool) {}

  const Code& code() const { return code_; }
  ConstantPool& pool() { return *pool_; }
  Snippet snippet() { return Snippet(*pool_); }

  // The operand stack is empty there. In a constructor that is before this()/super().
  void at_entry(const Snippet& snippet);
  void before(Label at, const Snippet& snippet) { insert(at, false, snippet); }
  // Not after branches, switches, returns and athrow, which do not complete normally.
  void after(Label at, const Snippet& snippet);
  // Executes `snippet` and rethrows when an exception from code at or after `start` is caught by no
  // other handler. The exception is on the stack below. In a constructor `this` must be initialized
  // in all of that code. `locals`, in the form of a frame, are available to `snippet` and must have
  // these types in all of that code.
  void catch_all(Label start, const Snippet& snippet, std::vector<VerificationType> locals = {});

  // Adds a local variable, initialized to 0 or null at the entry. `type`: a field descriptor.
  // Returns its slot, or kNoSlot if there is no room.
  std::uint32_t add_local(std::string_view type);
  // Slots for straight-line code: each must be stored to before it is loaded. They are in no frame.
  // kNoSlot if there is no room.
  std::uint32_t add_scratch(std::uint32_t slots);
  static constexpr std::uint32_t kNoSlot = 0xffffffff;

  bool changed() const { return !insertions_.empty() || !catch_alls_.empty() || !entry_.empty(); }
  // The first error; a method with an error is not changed.
  SkipReason problem() const { return problem_; }

  struct Insertion {
    Label at;
    bool behind;
    Bytes bytes;
  };
  struct CatchAll {
    Label start;
    Bytes bytes;
    std::vector<VerificationType> locals;
  };
  const Bytes& entry() const { return entry_; }
  // Sorted by label.
  const std::vector<Insertion>& insertions();
  const std::vector<CatchAll>& catch_alls() const { return catch_alls_; }
  const std::vector<AddedLocal>& added_locals() const { return added_locals_; }
  std::uint32_t max_locals() const { return code_.max_locals + added_slots_; }
  std::uint32_t max_stack() const { return std::max<std::uint32_t>(code_.max_stack, deepest_); }

 private:
  bool accept(const Snippet& snippet, std::uint32_t depth);
  void insert(Label at, bool behind, const Snippet& snippet);

  Code code_;
  ConstantPool* pool_;
  Bytes entry_;
  std::vector<Insertion> insertions_;
  std::vector<CatchAll> catch_alls_;
  bool sorted_ = true;
  std::uint32_t deepest_ = 0;
  std::uint32_t added_slots_ = 0;
  std::vector<AddedLocal> added_locals_;
  SkipReason problem_ = SkipReason::kNone;
};

}  // namespace bci
