#include "bci/transformation.h"

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

void MethodContext::skip(SkipReason reason, const Transformation& transformation) {
  skips_.push_back({reason, transformation.name()});
}

ClassContext::ClassContext(ClassFile& file) : file_(file) {
  methods_.reserve(file.methods.size());
  for (const MethodOutline& outline : file.methods) {
    methods_.emplace_back(file, outline, file.pool);
  }
}

}  // namespace bci
