// Test aid: makes small class files, good and bad ones, by a tiny assembler.
//
//   ClassBuilder cls("Sample", 61);
//   MethodBuilder& method = cls.method(kPublic | kStatic, "run", "(I)I");
//   method.stack(1).locals(1).op({0x1a}).branch(0x99, "zero").op({0x04, 0xac});
//   method.label("zero").op({0x03, 0xac}).frame_same("zero");
//   std::vector<std::uint8_t> bytes = cls.build();
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "bci/bytes.h"

namespace bci::test {

inline constexpr std::uint16_t kPublic = 0x0001;
inline constexpr std::uint16_t kStatic = 0x0008;

class ClassBuilder;

class MethodBuilder {
 public:
  MethodBuilder(ClassBuilder& owner, std::uint16_t access, std::string name,
                std::string descriptor);

  MethodBuilder& stack(std::uint16_t slots);
  MethodBuilder& locals(std::uint16_t slots);
  MethodBuilder& op(std::initializer_list<int> bytes);
  MethodBuilder& op2(int opcode, std::uint16_t operand);  // opcode and a pool index
  MethodBuilder& nops(std::size_t count);
  MethodBuilder& label(const std::string& name);
  MethodBuilder& branch(int opcode, const std::string& target);  // 2-byte, for *_w 4-byte offset
  MethodBuilder& table_switch(std::int32_t low, const std::vector<std::string>& cases,
                              const std::string& fallback);
  MethodBuilder& lookup_switch(const std::vector<std::pair<std::int32_t, std::string>>& cases,
                               const std::string& fallback);
  MethodBuilder& handler(const std::string& start, const std::string& end, const std::string& at,
                         std::uint16_t catch_type = 0);
  // Frames, in ascending order. A type is 0..6, {7, Class index}, or a "new" by label.
  struct Type {
    int tag;
    std::uint16_t class_index = 0;
    std::string made_at = {};
  };
  MethodBuilder& frame_same(const std::string& at);
  MethodBuilder& frame_full(const std::string& at, std::vector<Type> local_types,
                            std::vector<Type> stack_types);
  // An attribute of Code; its body is made when all labels are known.
  using Body = std::function<void(ByteWriter&, const std::map<std::string, std::uint32_t>&)>;
  MethodBuilder& attribute(const std::string& name, Body body);

  std::size_t position() const { return code_.size(); }
  void write(ByteWriter& out);

 private:
  struct Fixup {
    std::size_t at, base;
    std::string target;
    bool wide;
  };
  struct FrameSpec {
    std::string at;
    bool full;
    std::vector<Type> locals, stack;
  };
  struct HandlerSpec {
    std::string start, end, at;
    std::uint16_t type;
  };
  std::uint32_t offset_of(const std::string& name) const;
  void write_frames(ByteWriter& out) const;
  static void write_types(ByteWriter& out, const std::vector<Type>& types,
                          const std::map<std::string, std::uint32_t>& labels);
  void fix(std::size_t at, std::size_t base, const std::string& target, bool wide);

  ClassBuilder& owner_;
  std::uint16_t access_, max_stack_ = 0, max_locals_ = 0;
  std::string name_, descriptor_;
  ByteWriter code_;
  std::map<std::string, std::uint32_t> labels_;
  std::vector<Fixup> fixups_;
  std::vector<HandlerSpec> handlers_;
  std::vector<FrameSpec> frames_;
  std::vector<std::pair<std::string, Body>> attributes_;
};

class ClassBuilder {
 public:
  ClassBuilder(std::string name, std::uint16_t major, std::uint16_t access = 0x0021,
               const std::string& super = "java/lang/Object");

  std::uint16_t utf8(const std::string& text);
  std::uint16_t class_ref(const std::string& name);
  std::uint16_t integer(std::int32_t value);
  std::uint16_t name_and_type(const std::string& name, const std::string& descriptor);
  std::uint16_t method_ref(const std::string& owner, const std::string& name,
                           const std::string& descriptor);
  // Any other entry: tag and the bytes behind it.
  std::uint16_t raw(int tag, std::initializer_list<int> payload);
  std::uint16_t pool_count() const { return static_cast<std::uint16_t>(next_); }

  MethodBuilder& method(std::uint16_t access, const std::string& name,
                        const std::string& descriptor);
  // public <init>()V that calls the super class's.
  MethodBuilder& default_constructor();
  // An attribute of the class.
  void attribute(const std::string& name, const Bytes& body);

  Bytes build();

 private:
  std::uint16_t add(const Bytes& entry);

  std::uint16_t major_, access_;
  std::uint32_t next_ = 1;
  ByteWriter pool_;
  std::map<Bytes, std::uint16_t> index_;
  std::uint16_t this_class_, super_class_;
  std::string super_name_;
  std::deque<MethodBuilder> methods_;
  std::vector<std::pair<std::uint16_t, Bytes>> attributes_;
};

}  // namespace bci::test
