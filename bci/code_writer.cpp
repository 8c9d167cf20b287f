#include "bci/code_writer.h"

#include "bci/added_frames.h"
#include "bci/debug_tables.h"
#include "bci/opcodes.h"

namespace bci {
namespace {

constexpr std::uint32_t kMaxCodeLength = 0xffff;
constexpr std::size_t kMaxEntries = 0xffff;
// A conditional branch out of range becomes its inverse around a goto_w.
constexpr std::uint32_t kInverseLength = 3;
constexpr std::uint32_t kGotoWLength = 5;

class CodeWriter {
 public:
  CodeWriter(CodeEditor& editor, const MethodShape& method, bool widen_all)
      : editor_(editor), code_(editor.code()), method_(method), widen_all_(widen_all) {}

  std::optional<WrittenCode> write(SkipReason& why) {
    if (!lay_out() || !complete_frames() || !write_body()) {
      why = why_;
      return std::nullopt;
    }
    return WrittenCode{out_.take(), length_, std::move(bci_map_)};
  }

 private:
  bool fail(SkipReason why) {
    why_ = why;
    return false;
  }

  // Labels beyond the end stand for the catch-all handlers: end_label() + 0, + 1, ...
  Label handler_label(std::size_t index) const {
    return code_.end_label() + static_cast<Label>(index);
  }

  std::uint32_t length_of(Label label, std::uint32_t at) const {
    const auto length = static_cast<std::uint32_t>(code_.bytes_of(label).size());
    const Instruction& instruction = code_.instructions[label];
    if (is_switch(instruction.opcode)) return length + instruction.bci % 4 - at % 4;
    if (!widened_[label]) return length;
    return is_conditional(instruction.opcode) ? kInverseLength + kGotoWLength : kGotoWLength;
  }

  // Assigns an offset to every label; each round widens branches that do not reach. Terminates,
  // since widening only increases distances.
  bool lay_out() {
    const Label end = code_.end_label();
    widened_.assign(end, 0);
    label_.resize(end + std::max<std::size_t>(1, editor_.catch_alls().size()));
    instruction_.resize(end);
    after_.resize(end);
    do {
      place();
      if (length_ > kMaxCodeLength) return fail(SkipReason::kCodeTooLong);
    } while (widen());
    return true;
  }

  void place() {
    auto at = static_cast<std::uint32_t>(editor_.entry().size());
    auto insertion = editor_.insertions().begin();
    const auto last = editor_.insertions().end();
    const auto pass = [&](Label label, bool behind) {
      for (; insertion != last && insertion->at == label && insertion->behind == behind;
           ++insertion) {
        at += static_cast<std::uint32_t>(insertion->bytes.size());
      }
    };
    for (Label label = 0; label < code_.end_label(); ++label) {
      label_[label] = at;
      pass(label, false);
      instruction_[label] = at;
      at += length_of(label, at);
      after_[label] = at;
      pass(label, true);
    }
    label_[code_.end_label()] = at;
    for (std::size_t i = 0; i < editor_.catch_alls().size(); ++i) {
      label_[handler_label(i)] = at;
      at += static_cast<std::uint32_t>(editor_.catch_alls()[i].bytes.size());
    }
    length_ = at;
  }

  bool widen() {
    bool any = false;
    for (Label label = 0; label < code_.end_label(); ++label) {
      const Instruction& instruction = code_.instructions[label];
      if (!is_short_branch(instruction.opcode) || widened_[label]) continue;
      const std::int64_t distance = std::int64_t{label_[instruction.target]} - instruction_[label];
      if (!widen_all_ && distance >= INT16_MIN && distance <= INT16_MAX) continue;
      widened_[label] = 1;
      any = true;
    }
    return any;
  }

  bool complete_frames() {
    stack_map_ = &code_.stack_map;
    if (!method_.has_frames) return true;
    std::vector<Label> needed;
    for (Label label = 0; label < code_.end_label(); ++label) {
      if (widened_[label] && is_conditional(code_.instructions[label].opcode)) {
        needed.push_back(label + 1);
      }
    }
    const auto& added = editor_.added_locals();
    if (needed.empty() && editor_.catch_alls().empty() && added.empty()) return true;
    if (needed.empty() && added.empty()) {
      own_map_ = code_.stack_map;
    } else {
      auto completed = add_frames(code_, method_, needed, added, editor_.pool(), why_);
      if (!completed) return false;
      own_map_ = std::move(*completed);
    }
    for (std::size_t i = 0; i < editor_.catch_alls().size(); ++i) {
      // All locals other than those requested are Top, which is compatible with any state.
      VerificationType throwable{kObject, editor_.pool().add_class("java/lang/Throwable"),
                                 kNoLabel};
      if (throwable.class_index == 0) return fail(SkipReason::kPoolFull);
      std::vector<VerificationType> locals = editor_.catch_alls()[i].locals;
      if (!append_locals(locals, added)) return fail(SkipReason::kNoFrameState);
      own_map_.add_full(handler_label(i), locals, {&throwable, 1});
    }
    if (own_map_.frames.size() > kMaxEntries) return fail(SkipReason::kTableFull);
    stack_map_ = &own_map_;
    return true;
  }

  bool write_body() {
    if (editor_.max_stack() > 0xffff) return fail(SkipReason::kStackTooDeep);
    out_.reserve(length_ + 256);
    out_.u2(editor_.max_stack()).u2(editor_.max_locals()).u4(length_);
    write_instructions();
    return write_handlers() && write_attributes();
  }

  std::uint32_t position() const {
    return static_cast<std::uint32_t>(out_.size() - WrittenCode::kBytecodeAt);
  }

  void map_run(std::uint32_t new_bci, std::uint16_t old_bci, bool injected) {
    if (!bci_map_.empty()) {
      const BciRun& last = bci_map_.back();
      const std::uint32_t moved_on = injected ? 0 : new_bci - last.new_bci;
      if (last.injected == injected && last.old_bci + moved_on == old_bci) return;
    }
    bci_map_.push_back({static_cast<std::uint16_t>(new_bci), old_bci, injected});
  }

  void inject(const Bytes& bytes, Label for_label) {
    if (bytes.empty()) return;
    map_run(position(), code_.bci_of(for_label), true);
    out_.append(bytes);
  }

  void write_instructions() {
    inject(editor_.entry(), 0);
    auto insertion = editor_.insertions().begin();
    const auto last = editor_.insertions().end();
    for (Label label = 0; label < code_.end_label(); ++label) {
      for (; insertion != last && insertion->at == label && !insertion->behind; ++insertion) {
        inject(insertion->bytes, label);
      }
      map_run(position(), code_.bci_of(label), false);
      write_instruction(label);
      for (; insertion != last && insertion->at == label; ++insertion) {
        inject(insertion->bytes, label);
      }
    }
    for (const CodeEditor::CatchAll& handler : editor_.catch_alls()) {
      inject(handler.bytes, code_.end_label() - 1);
    }
  }

  void write_instruction(Label label) {
    const Instruction& instruction = code_.instructions[label];
    if (is_branch(instruction.opcode)) {
      write_branch(label, instruction);
    } else if (is_switch(instruction.opcode)) {
      write_switch(label, instruction);
    } else {
      out_.append(code_.bytes_of(label));
    }
  }

  void write_branch(Label label, const Instruction& instruction) {
    const std::uint32_t target = label_[instruction.target];
    const std::uint32_t at = instruction_[label];
    if (is_wide_branch(instruction.opcode)) {
      out_.u1(instruction.opcode).u4(target - at);
    } else if (!widened_[label]) {
      out_.u1(instruction.opcode).u2(target - at);
    } else if (is_conditional(instruction.opcode)) {
      out_.u1(inverse_condition(instruction.opcode)).u2(kInverseLength + kGotoWLength);
      map_run(position(), instruction.bci, true);
      out_.u1(kGotoW).u4(target - (at + kInverseLength));
    } else {
      out_.u1(instruction.opcode == kGoto ? kGotoW : kJsrW).u4(target - at);
    }
  }

  void write_switch(Label label, const Instruction& instruction) {
    const std::uint32_t at = instruction_[label];
    const ByteSpan bytes = code_.bytes_of(label);
    const std::uint8_t* body = bytes.data() + 4 - instruction.bci % 4;
    const std::size_t size = code_.switch_size(label);
    const auto offset = [&](std::size_t i) {
      return label_[code_.switch_labels[instruction.target + i]] - at;
    };
    out_.u1(instruction.opcode);
    for (std::uint32_t padding = 3 - at % 4; padding > 0; --padding) out_.u1(0);
    out_.u4(offset(0));
    if (instruction.opcode == kTableswitch) {
      out_.append({body + 4, 8});  // low, high
      for (std::size_t i = 1; i < size; ++i) out_.u4(offset(i));
    } else {
      out_.append({body + 4, 4});  // npairs
      for (std::size_t i = 1; i < size; ++i) {
        out_.append({body + 8 * i, 4}).u4(offset(i));  // match, offset
      }
    }
  }

  bool write_handlers() {
    const std::size_t count = code_.handlers.size() + editor_.catch_alls().size();
    if (count > kMaxEntries) return fail(SkipReason::kTableFull);
    out_.u2(static_cast<std::uint32_t>(count));
    for (const ExceptionHandler& handler : code_.handlers) {
      const auto follows = [&](Label label, std::uint8_t opcode) {
        return label > 0 && code_.instructions[label - 1].opcode == opcode;
      };
      const bool behind_enter = follows(handler.start, kMonitorenter);
      const bool behind_exit = follows(handler.end, kMonitorexit);
      out_.u2(behind_enter ? after_[handler.start - 1] : label_[handler.start]);
      out_.u2(behind_exit ? after_[handler.end - 1] : label_[handler.end]);
      out_.u2(label_[handler.handler]).u2(handler.catch_type);
    }
    // Appended last, so the program's handlers take precedence. Each handler covers the previous
    // ones.
    for (std::size_t i = 0; i < editor_.catch_alls().size(); ++i) {
      const std::uint32_t end = label_[handler_label(i)];
      out_.u2(label_[editor_.catch_alls()[i].start]).u2(end).u2(end).u2(0);
    }
    return true;
  }

  bool write_attributes() {
    const std::size_t count_at = out_.size();
    std::size_t count = code_.attributes.size();
    bool has_frames = false;
    out_.u2(0);
    for (const CodeAttribute& attribute : code_.attributes) {
      has_frames = has_frames || attribute.kind == CodeTable::kStackMap;
      if (!write_attribute(attribute.name_index, attribute.kind, attribute.body)) return false;
    }
    if (!has_frames && !stack_map_->frames.empty()) {
      const std::uint16_t name = editor_.pool().add_utf8("StackMapTable");
      if (name == 0) return fail(SkipReason::kPoolFull);
      if (!write_attribute(name, CodeTable::kStackMap, {})) return false;
      ++count;
    }
    if (count > kMaxEntries) return fail(SkipReason::kTableFull);
    out_.patch_u2(count_at, static_cast<std::uint32_t>(count));
    return true;
  }

  bool write_attribute(std::uint16_t name_index, CodeTable kind, ByteSpan body) {
    const LabelOffsets offsets{label_, instruction_};
    out_.u2(name_index);
    const std::size_t length_at = out_.size();
    out_.u4(0);
    bool ok = true;
    switch (kind) {
      case CodeTable::kLineNumbers:
        ok = write_line_numbers(body, code_, offsets, out_);
        break;
      case CodeTable::kLocalVariables:
        ok = write_local_variables(body, code_, offsets, out_);
        break;
      case CodeTable::kTypeAnnotations:
        write_type_annotations(body, code_, offsets, out_);
        break;
      case CodeTable::kStackMap:
        write_stack_map(*stack_map_, offsets, out_);
        break;
      case CodeTable::kOther:
        out_.append(body);
        break;
    }
    out_.patch_u4(length_at, static_cast<std::uint32_t>(out_.size() - length_at - 4));
    return ok || fail(SkipReason::kBadCodeAttribute);
  }

  CodeEditor& editor_;
  const Code& code_;
  const MethodShape& method_;
  const bool widen_all_;
  SkipReason why_ = SkipReason::kNone;
  std::vector<std::uint8_t> widened_;
  std::vector<std::uint32_t> label_, instruction_, after_;
  std::uint32_t length_ = 0;
  StackMap own_map_;
  const StackMap* stack_map_ = nullptr;
  ByteWriter out_;
  std::vector<BciRun> bci_map_;
};

}  // namespace

std::optional<WrittenCode> write_code(CodeEditor& editor, const MethodShape& method, bool widen_all,
                                      SkipReason& why) {
  return CodeWriter(editor, method, widen_all).write(why);
}

}  // namespace bci
