// Inserts the calls of one patch before and after one instruction, or none of them.
#pragma once

#include <string>
#include <vector>

#include "bci/patch/operands.h"

namespace bci {

using Calls = std::vector<const PatchCall*>;

struct CallRefusal {
  SkipReason why = SkipReason::kNone;
  std::string detail;
};

// Slots for values that a call needs in another order than on the stack, or after an instruction
// that consumes them. Shared by all sites of a method; sites around the same instruction use
// different ones.
class ScratchSlots {
 public:
  explicit ScratchSlots(CodeEditor& editor) : editor_(editor) {}

  // Frees all slots.
  void begin() { used_[0] = used_[1] = 0; }
  std::uint32_t take(ValueKind kind);

 private:
  CodeEditor& editor_;
  std::vector<std::uint32_t> slots_[2];  // of one slot, of two
  std::size_t used_[2] = {0, 0};
};

// The meaning of kStack for calls between two instructions.
struct TopValue {
  std::string type = {};      // of the value on top of the stack; "": none
  MaybeValue elsewhere = {};  // used instead of it
};

class SiteCode {
 public:
  SiteCode(PatchScope& scope, ScratchSlots& scratch, const std::string& test_class)
      : scope_(scope), scratch_(scratch), test_class_(test_class) {}

  // Code between two instructions. `state`: of the locals there. nullopt, with the reason.
  std::optional<Snippet> between(const Calls& calls, const Site& site, const TopValue& top,
                                 const TypeState* state, bool this_initialized,
                                 CallRefusal& refusal);

  struct Around {
    Snippet before, behind;
  };
  // Code around the instruction of `site`.
  std::optional<Around> around(const Calls& before, const Calls& behind, const Site& site,
                               const TypeState* state_before, const TypeState* state_behind,
                               bool this_initialized, CallRefusal& refusal);

  // Code after the constructor call at `constructor`, for the object that `site` creates.
  std::optional<Snippet> behind_constructor(const Calls& calls, const Site& site, Label constructor,
                                            const TypeState& before, const TypeState* behind,
                                            CallRefusal& refusal);

 private:
  struct Captured {
    ValueKind kind;
    std::uint32_t slot;
  };
  bool append(const Calls& calls, const PatchPlace& place, Snippet& code, CallRefusal& refusal);
  // The value on top of the stack for these calls: by dup if each uses it as its first argument.
  MaybeValue top_of_stack(const std::string& type, const Calls& calls, Snippet& code,
                          std::vector<Captured>& captured);
  MaybeValue object_behind(Label constructor, const TypeState& before, const Calls& calls,
                           Snippet& code, std::vector<Captured>& captured);
  void capture(const Operands& operands, std::size_t lowest, Snippet& code,
               std::vector<std::uint32_t>& slots, std::vector<Captured>& captured);
  static void forget(const std::vector<Captured>& captured, Snippet& code);

  PatchScope& scope_;
  ScratchSlots& scratch_;
  const std::string& test_class_;
};

}  // namespace bci
