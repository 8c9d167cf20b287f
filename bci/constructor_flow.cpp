#include "bci/constructor_flow.h"

#include <algorithm>
#include <deque>

#include "bci/opcodes.h"
#include "bci/type_state.h"

namespace bci {
namespace {

// Limits against pathological code, far above any real constructor.
constexpr std::size_t kMaxSlots = 1u << 20;  // in all states kept
constexpr std::size_t kMaxWork = 1u << 23;   // instructions followed and slots copied

class Follower {
 public:
  Follower(const Code& code, const ConstantPool& pool)
      : code_(code), simulator_(code, pool, {}), kept_(code.end_label()) {
    const std::vector<std::uint8_t> points = code.meeting_points();
    for (Label label = 0; label < code.end_label(); ++label) kept_[label].joins = points[label];
    kept_[0].joins = true;
  }

  std::optional<ConstructorFlow> follow() {
    TypeState entry;
    entry.locals.push_back({kUninitializedThis});
    if (!reach(0, entry)) return std::nullopt;
    while (!pending_.empty()) {
      const Label label = pending_.front();
      pending_.pop_front();
      kept_[label].pending = false;
      if (!run(label)) return std::nullopt;
    }
    std::ranges::sort(flow_.super_calls);
    return flow_;
  }

 private:
  // The state at a label that several paths may reach.
  struct Kept {
    bool joins = false, reached = false, pending = false;
    TypeState state;
  };

  template <typename Visit>  // visit(target, whether a return address is pushed)
  void for_each_target(Label label, Visit visit) {
    const Instruction& instruction = code_.instructions[label];
    if (is_branch(instruction.opcode)) {
      visit(instruction.target, instruction.opcode == kJsr || instruction.opcode == kJsrW);
    } else if (is_switch(instruction.opcode)) {
      const std::size_t size = code_.switch_size(label);
      for (std::size_t i = 0; i < size; ++i) {
        visit(code_.switch_labels[instruction.target + i], false);
      }
    }
  }

  // A type that differs between two paths becomes unusable.
  static bool merge_types(std::vector<FlowType>& into, const std::vector<FlowType>& from) {
    bool changed = false;
    for (std::size_t i = 0; i < into.size(); ++i) {
      const FlowType& other = i < from.size() ? from[i] : FlowType{};
      if (into[i] == other || into[i].tag == kTop) continue;
      into[i] = {};
      changed = true;
    }
    return changed;
  }

  bool reach(Label label, const TypeState& state) {
    Kept& kept = kept_[label];
    bool changed = !kept.reached;
    work_ += state.locals.size() + state.stack.size();
    if (!kept.reached) {
      kept.reached = true;
      kept.state = state;
      slots_ += state.locals.size() + state.stack.size();
      if (slots_ > kMaxSlots) return false;
    } else {
      if (kept.state.stack.size() != state.stack.size()) return false;
      changed = merge_types(kept.state.locals, state.locals);
      changed |= merge_types(kept.state.stack, state.stack);
    }
    if (changed && !kept.pending) {
      kept.pending = true;
      pending_.push_back(label);
    }
    return true;
  }

  // An exception may occur in the state before any instruction of the range.
  bool reach_handlers(Label label, const TypeState& state) {
    for (const ExceptionHandler& handler : code_.handlers) {
      if (label < handler.start || label >= handler.end) continue;
      const TypeState caught{state.locals, {FlowType{}}};
      if (work_ > kMaxWork || !reach(handler.handler, caught)) return false;
    }
    return true;
  }

  // Simulates from a kept label to the next one, or to the end of the path.
  bool run(Label label) {
    TypeState state = kept_[label].state;
    bool uninitialized = state.has_uninitialized_this();
    for (;;) {
      work_ += 1 + code_.handlers.size();
      if (work_ > kMaxWork || !reach_handlers(label, state)) return false;
      if (uninitialized) flow_.initialized_from = std::max(flow_.initialized_from, label + 1);
      const std::uint8_t op = code_.instructions[label].opcode;
      if (!simulator_.step(label, state)) return false;
      if (uninitialized && op == kInvokespecial) {
        // Only the call on `this` initializes it, in all copies at once.
        uninitialized = state.has_uninitialized_this();
        if (!uninitialized) add_super_call(label);
      }
      bool reached = true;
      for_each_target(label, [&](Label target, bool pushes) {
        if (!reached || work_ > kMaxWork) {
          reached = false;
        } else if (pushes) {
          TypeState jumped = state;
          jumped.stack.push_back({});
          reached = reach(target, jumped);
        } else {
          reached = reach(target, state);
        }
      });
      if (!reached) return false;
      if (!code_.falls_through(label)) return true;
      if (++label >= code_.end_label()) return false;
      if (kept_[label].joins) return reach(label, state);
    }
  }

  void add_super_call(Label label) {
    std::vector<Label>& calls = flow_.super_calls;
    if (std::ranges::find(calls, label) == calls.end()) calls.push_back(label);
  }

  const Code& code_;
  TypeSimulator simulator_;
  std::vector<Kept> kept_;
  std::deque<Label> pending_;
  std::size_t slots_ = 0, work_ = 0;
  ConstructorFlow flow_;
};

}  // namespace

std::optional<ConstructorFlow> follow_constructor(const Code& code, const ConstantPool& pool) {
  return Follower(code, pool).follow();
}

// The verifier (JVMS 4.10.1.9) allows no other instruction to consume the `this` on the stack
// there, and no second call of <init> on it.
bool begins_with_super_call(ByteSpan bytecode) {
  return bytecode.size() > kFirstSuperCallBci + 2u && bytecode[0] == kAload0 &&
         bytecode[kFirstSuperCallBci] == kInvokespecial;
}

std::vector<std::uint16_t> super_call_bcis(const ConstantPool& pool, ByteSpan bytecode) {
  SkipReason why{};
  const auto code = Code::decode_bytecode(bytecode, why);
  if (!code) return {};
  const auto flow = follow_constructor(*code, pool);
  std::vector<std::uint16_t> bcis;
  if (flow) {
    for (Label label : flow->super_calls) bcis.push_back(code->bci_of(label));
  }
  return bcis;
}

}  // namespace bci
