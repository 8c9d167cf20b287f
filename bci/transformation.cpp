#include "bci/transformation.h"

#include <algorithm>

#include "bci/opcodes.h"

namespace bci {

MethodShape MethodContext::shape() const {
  return {file_->name,           outline_->name,      outline_->descriptor,
          outline_->is_static(), file_->has_frames(), file_->may_have_strict_fields()};
}

const OpcodeSet& MethodContext::opcodes() {
  if (opcodes_) return *opcodes_;
  opcodes_.emplace();
  if (!has_code()) return *opcodes_;
  const ByteSpan bytecode = outline_->code->bytecode;
  OpcodeSet found;
  for (std::size_t bci = 0; bci < bytecode.size();) {
    const std::size_t length = instruction_length(bytecode, bci);
    if (length == 0) {
      not_understood_ = true;
      skip_whole(SkipReason::kBadBytecode);
      return *opcodes_;
    }
    found.set(bytecode[bci]);
    bci += length;
  }
  opcodes_ = found;
  return *opcodes_;
}

CodeEditor* MethodContext::editor() {
  if (editor_ || !has_code() || not_understood_) return editor_.get();
  SkipReason why{};
  auto code = Code::decode(outline_->code->body, file_->pool, why);
  if (!code) {
    not_understood_ = true;
    skip_whole(why);
    return nullptr;
  }
  editor_ = std::make_unique<CodeEditor>(std::move(*code), *pool_);
  return editor_.get();
}

const ConstructorFlow* MethodContext::constructor_flow() {
  if (!flow_tried_ && needs_super_call() && editor() != nullptr) {
    flow_ = follow_constructor(editor_->code(), file_->pool);
  }
  flow_tried_ = true;
  return flow_ ? &*flow_ : nullptr;
}

std::optional<Label> MethodContext::catch_all_start(SkipReason& why) {
  const auto refused = [&why](SkipReason reason) {
    why = reason;
    return std::nullopt;
  };
  if (is_object_constructor()) {
    // Crashes C2 (17 and 25): at the return of Object.<init> it registers finalizers, and for an
    // exception from that call it asks every handler of the method, whatever its range, for its
    // class, which a catch-all does not have.
    return refused(SkipReason::kVmLimit);
  }
  if (!needs_super_call()) return 0;
  // The handler's frame has an initialized `this`, so its range may not include code before that.
  const ConstructorFlow* flow = constructor_flow();
  if (flow == nullptr) return refused(SkipReason::kTooComplex);
  if (flow->super_calls.size() != 1) return refused(SkipReason::kSuperCallNotUnique);
  const Label start = flow->super_calls[0] + 1;
  const StackMap& map = editor()->code().stack_map;
  const auto has_raw_this = [](std::span<const VerificationType> types) {
    return std::ranges::find(types, kUninitializedThis, &VerificationType::tag) != types.end();
  };
  const bool frame_behind = std::ranges::any_of(map.frames, [&](const Frame& frame) {
    return frame.at >= start && (has_raw_this(map.locals(frame)) || has_raw_this(map.stack(frame)));
  });
  if (flow->initialized_from > start || frame_behind)
    return refused(SkipReason::kThisNotInitialized);
  return start;
}

ClassContext::ClassContext(ClassFile& file) : file_(file) {
  methods_.reserve(file.methods.size());
  for (const MethodOutline& outline : file.methods) {
    methods_.emplace_back(file, outline, file.pool);
  }
}

}  // namespace bci
