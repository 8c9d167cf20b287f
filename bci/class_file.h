// The outline of a class file: the locations of its constant pool, methods and Code attributes.
//
// Fields, attributes and code are not parsed, so a class that needs no change costs little. Views
// point into the bytes given to parse().
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "bci/constant_pool.h"

namespace bci {

inline constexpr std::uint32_t kMagic = 0xcafebabe;  // the first four bytes

enum AccessFlag : std::uint16_t {
  kAccStatic = 0x0008,
  kAccSynchronized = 0x0020,
};

// Code attribute (JVMS 4.7.3): max_stack u2, max_locals u2, code_length u4, code,
// exception table, attributes. `body` begins at max_stack.
struct CodeOutline {
  std::size_t length_at = 0;  // offset of attribute_length in the class file
  ByteSpan body;
  ByteSpan bytecode;
};

struct MethodOutline {
  std::uint16_t access = 0;
  std::string_view name, descriptor;
  std::optional<CodeOutline> code;  // nullopt: native or abstract

  bool is_static() const { return (access & kAccStatic) != 0; }
  bool is_constructor() const { return name == "<init>"; }
};

struct ClassFile {
  ByteSpan bytes;
  std::uint16_t major = 0, minor = 0;
  ConstantPool pool;
  std::size_t pool_end = 0;  // offset of access_flags
  std::string_view name;     // internal name
  std::vector<MethodOutline> methods;
  std::string_view source_file;  // empty: it has none

  // The verifier uses frames from class file version 50 on (JVMS 4.10.1).
  bool has_frames() const { return major >= 50; }
  // Strict fields must be set before super(), or the class does not verify (JEP 539).
  bool may_have_strict_fields() const { return major >= 72; }

  static std::optional<ClassFile> parse(ByteSpan bytes, SkipReason& why);
};

// Of a class, a field or a method: their count, then name u2, length u4 and body of each.
void skip_attributes(ByteReader& in);

}  // namespace bci
