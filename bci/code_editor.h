// Collects what is to be put into a method. The method's own instructions stay as they are and
// stay visible as they were: no transformation sees what another one has put in.
//
// Layout around an instruction p, and at the start of the method:
//   [entry code] L(0): [before 0] I(0): instruction 0  A(0): [after 0]
//                L(p): [before p] I(p): instruction p  A(p): [after p]   L(p+1): ...
//   [catch-all handlers]
// Branches, frames, handlers, exception ranges and debug tables go to L; only the `new` that an
// uninitialised type was made by, and type annotations, go to I. So a loop to bytecode index 0
// never runs the entry code again. A range that begins right behind a monitorenter begins at A of
// that one, so that its lock is released whatever is called there.
// Several snippets at one place run in the order in which they were put there.
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
  void before(Label at, const Snippet& snippet);
  // Not behind branches, switches, returns and athrow: there is no place behind them.
  void after(Label at, const Snippet& snippet);
  // Runs `snippet`, then rethrows, when an exception that no other handler takes leaves the code
  // from `start` on. The stack below holds the exception. In a constructor `this` must be
  // initialised in all of that code. `locals`, as a frame lists them, are what `snippet` may read:
  // they must hold that in all of that code.
  void catch_all(Label start, const Snippet& snippet, std::vector<VerificationType> locals = {});

  // A local variable of the method's own, 0 or null from its entry on. `type`: a field descriptor.
  // Its slot, kNoSlot if there is no room.
  std::uint32_t add_local(std::string_view type);
  // Slots for one piece of straight code: each value must be stored there before it is read. No
  // frame knows of them. kNoSlot if there is no room.
  std::uint32_t add_scratch(std::uint32_t slots);
  static constexpr std::uint32_t kNoSlot = 0xffffffff;

  bool changed() const { return !insertions_.empty() || !catch_alls_.empty() || !entry_.empty(); }
  // The first thing that went wrong; such a method stays as it was.
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
  // Sorted by place.
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
