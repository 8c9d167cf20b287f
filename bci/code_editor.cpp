#include "bci/code_editor.h"

#include <tuple>

#include "bci/opcodes.h"

namespace bci {

bool CodeEditor::accept(const Snippet& snippet, std::uint32_t depth) {
  const SkipReason problem = snippet.problem();
  if (problem != SkipReason::kNone) {
    if (problem_ == SkipReason::kNone) problem_ = problem;
    return false;
  }
  deepest_ = std::max(deepest_, depth + snippet.extra_stack());
  return true;
}

void CodeEditor::at_entry(const Snippet& snippet) {
  if (!accept(snippet, 0)) return;
  entry_.insert(entry_.end(), snippet.bytes().begin(), snippet.bytes().end());
}

void CodeEditor::insert(Label at, bool behind, const Snippet& snippet) {
  // The stack depth there is not computed: max_stack is a safe bound.
  if (!accept(snippet, code_.max_stack)) return;
  if (!insertions_.empty()) {
    const Insertion& last = insertions_.back();
    sorted_ = sorted_ && std::tie(last.at, last.behind) <= std::tie(at, behind);
  }
  insertions_.push_back({at, behind, snippet.bytes()});
}

void CodeEditor::after(Label at, const Snippet& snippet) {
  if (!code_.falls_through(at) || is_branch(code_.instructions[at].opcode)) {
    problem_ = SkipReason::kBadHook;
    return;
  }
  insert(at, true, snippet);
}

void CodeEditor::catch_all(Label start, const Snippet& snippet,
                           std::vector<VerificationType> locals) {
  if (!accept(snippet, 1)) return;
  CatchAll handler{start, snippet.bytes(), std::move(locals)};
  handler.bytes.push_back(kAthrow);
  deepest_ = std::max(deepest_, 1u);
  catch_alls_.push_back(std::move(handler));
}

std::uint32_t CodeEditor::add_scratch(std::uint32_t slots) {
  if (max_locals() + slots > 0xffff) {
    problem_ = SkipReason::kTooManyLocals;
    return kNoSlot;
  }
  const std::uint32_t first = max_locals();
  added_slots_ += slots;
  return first;
}

std::uint32_t CodeEditor::add_local(std::string_view type) {
  const ValueKind kind = kind_of(type);
  const std::uint32_t slot = add_scratch(static_cast<std::uint32_t>(slots_of(kind)));
  if (slot == kNoSlot) return slot;
  AddedLocal local{slot, {kTagOfKind[static_cast<int>(kind)], 0, kNoLabel}};
  Snippet initial = snippet();
  if (kind == ValueKind::kReference) {
    local.type.class_index = pool_->find_or_add_class(class_name_of(type));
    if (local.type.class_index == 0) problem_ = SkipReason::kPoolFull;
    initial.push_null();
  } else if (kind == ValueKind::kFloat) {
    initial.push_float_zero();
  } else {
    initial.push(0).widen(ValueKind::kInt, kind);
  }
  added_locals_.push_back(local);
  at_entry(initial.store(kind, slot));
  return slot;
}

const std::vector<CodeEditor::Insertion>& CodeEditor::insertions() {
  if (!sorted_) {
    std::ranges::stable_sort(insertions_, [](const Insertion& a, const Insertion& b) {
      return std::tie(a.at, a.behind) < std::tie(b.at, b.behind);
    });
    sorted_ = true;
  }
  return insertions_;
}

}  // namespace bci
