// A transformation's view of a class, and how it changes the class.
//
// Write one by deriving from Transformation:
//   void apply(ClassContext& context) const override {
//     for (MethodContext& method : context.methods()) {
//       if (!method.opcodes().test(kMonitorenter)) continue;   // cheap: one pass, shared by all
//       CodeEditor* editor = method.editor();                  // decodes the code
//       if (editor == nullptr) continue;                       // not decodable; already counted
//       for (Label label = 0; label < editor->code().end_label(); ++label) { ... }
//     }
//   }
#pragma once

#include <bitset>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "bci/class_file.h"
#include "bci/code_editor.h"
#include "bci/constructor_flow.h"
#include "bci/type_state.h"

namespace bci {

using OpcodeSet = std::bitset<256>;

class MethodContext {
 public:
  struct Skip {
    SkipReason reason;
    std::string_view transformation;  // empty: the whole method
  };

  MethodContext(const ClassFile& file, const MethodOutline& outline, ConstantPool& pool)
      : file_(&file), outline_(&outline), pool_(&pool) {}

  std::string_view name() const { return outline_->name; }
  std::string_view descriptor() const { return outline_->descriptor; }
  const MethodOutline& outline() const { return *outline_; }
  bool has_code() const { return outline_->code.has_value(); }
  MethodShape shape() const;

  // The opcodes that the method contains; `wide` counts as 0xc4. Empty without code, or if the code
  // cannot be parsed.
  const OpcodeSet& opcodes();
  // Decodes the code at the first call; nullptr without code or if it cannot be decoded.
  CodeEditor* editor();
  // java.lang.Object's constructor, the only one that calls neither this() nor super().
  bool is_object_constructor() const {
    return outline_->is_constructor() && file_->name == "java/lang/Object";
  }
  bool needs_super_call() const { return outline_->is_constructor() && !is_object_constructor(); }
  // nullptr if there is no such call, or the code could not be followed.
  const ConstructorFlow* constructor_flow();
  // The first label that a catch-all handler may cover: 0, or in a constructor the code after this()
  // or super(). nullopt, with the reason, where the VM would reject the handler.
  std::optional<Label> catch_all_start(SkipReason& why);

  // Reports that a transformation cannot be applied to this method. `transformation` for reports:
  // "ArrayHook", a literal.
  void skip(SkipReason reason, std::string_view transformation) {
    skips_.push_back({reason, transformation});
  }

  // For rewrite(): the insertions, if any, and what was skipped.
  CodeEditor* edited() { return editor_.get(); }
  void skip_whole(SkipReason reason) { skips_.push_back({reason, {}}); }
  const std::vector<Skip>& skips() const { return skips_; }

 private:
  const ClassFile* file_;
  const MethodOutline* outline_;
  ConstantPool* pool_;
  std::optional<OpcodeSet> opcodes_;
  std::unique_ptr<CodeEditor> editor_;
  std::optional<ConstructorFlow> flow_;
  bool flow_tried_ = false;
  bool not_understood_ = false;
  std::vector<Skip> skips_;
};

class ClassContext {
 public:
  explicit ClassContext(ClassFile& file);

  std::string_view name() const { return file_.name; }
  const ClassFile& file() const { return file_; }
  const ConstantPool& pool() const { return file_.pool; }
  std::vector<MethodContext>& methods() { return methods_; }

 private:
  ClassFile& file_;
  std::vector<MethodContext> methods_;
};

class Transformation {
 public:
  Transformation() = default;
  Transformation(const Transformation&) = delete;
  Transformation& operator=(const Transformation&) = delete;
  virtual ~Transformation() = default;

  // Whether the class contains a hook of this transformation; such a class is never rewritten.
  virtual bool holds_hook(std::string_view class_name) const = 0;
  // Called on any thread, concurrently.
  virtual void apply(ClassContext& context) const = 0;
};

}  // namespace bci
