// Test aid: rewrites, and takes the outcome apart again.
#pragma once

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>
#include <vector>

#include "bci/rewrite.h"
#include "class_builder.h"

namespace bci::test {

inline const HookMethod kObjectHook{"T", "object", "(Ljava/lang/Object;)V"};
inline const HookMethod kArraysHook{"T", "arrays", "(Ljava/lang/Object;I)V"};
inline const HookMethod kNumbersHook{"T", "numbers", "(II)V"};
inline const ArrayHook kArrays(kObjectHook, kArraysHook);

inline RewriteResult rewrite_with(const Bytes& bytes,
                                  std::initializer_list<const Transformation*> all,
                                  RewriteOptions options = {}) {
  return rewrite(bytes, std::vector<const Transformation*>(all), options);
}

// A class file that must parse. The result refers to `bytes`.
inline ClassFile parsed(const Bytes& bytes) {
  SkipReason why{};
  auto file = ClassFile::parse(bytes, why);
  REQUIRE(file);
  return std::move(*file);
}
ClassFile parsed(Bytes&&) = delete;

inline Code decoded(const ClassFile& file, const MethodOutline& method) {
  SkipReason why{};
  auto code = Code::decode(method.code->body, file.pool, why);
  REQUIRE(code);
  return std::move(*code);
}

// The outcome, which must be a changed class that parses.
class Rewritten {
 public:
  explicit Rewritten(RewriteResult result) : result_(std::move(result)) {
    REQUIRE(result_.status == RewriteStatus::kChanged);
    file_ = parsed(result_.bytes);
  }

  const RewriteResult& result() const { return result_; }
  const ClassFile& file() const { return file_; }

  const MethodOutline& method(const std::string& name) const {
    for (const MethodOutline& outline : file_.methods) {
      if (outline.name == name) return outline;
    }
    throw std::logic_error("no method " + name);
  }
  Bytes bytecode(const std::string& name) const {
    const ByteSpan code = method(name).code->bytecode;
    return {code.begin(), code.end()};
  }
  Code code(const std::string& name) const { return decoded(file_, method(name)); }
  // "T.array (Ljava/lang/Object;)V" for the call at a bytecode index.
  std::string callee(const std::string& name, std::size_t bci) const {
    const ByteSpan code = method(name).code->bytecode;
    const auto member = file_.pool.member(read_u2(&code[bci + 1]));
    REQUIRE(member);
    return std::string(member->owner) + "." + std::string(member->name) + " " +
           std::string(member->descriptor);
  }
  // The body of an attribute of Code.
  Bytes attribute(const std::string& name, const std::string& attribute_name) const {
    for (const CodeAttribute& attribute : code(name).attributes) {
      if (file_.pool.utf8(attribute.name_index) != attribute_name) continue;
      return {attribute.body.begin(), attribute.body.end()};
    }
    return {};
  }
  SkipReason skip_of(const std::string& name) const {
    for (const SkippedMethod& skipped : result_.skipped) {
      if (skipped.name == name) return skipped.reason;
    }
    return SkipReason::kNone;
  }
  const ChangedMethod* changed(const std::string& name) const {
    for (const ChangedMethod& method : result_.changed) {
      if (method.name == name) return &method;
    }
    return nullptr;
  }

 private:
  RewriteResult result_;
  ClassFile file_;
};

inline MethodNumbers same_numbers(std::int32_t first, std::int32_t second) {
  return [=](const ClassContext&, const MethodContext&) { return HookNumbers{first, second}; };
}

}  // namespace bci::test
