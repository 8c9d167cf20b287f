#include "bci/class_file.h"

namespace bci {
namespace {

// Reads all attributes of the class.
std::string_view source_file_of(ByteReader& in, const ConstantPool& pool) {
  std::string_view file;
  for (std::uint16_t left = in.u2(); left > 0 && in.ok(); --left) {
    const std::string_view name = pool.utf8(in.u2());
    ByteReader body(in.take(in.u4()));
    if (name == "SourceFile") file = pool.utf8(body.u2());
  }
  return file;
}

std::optional<CodeOutline> outline_code(std::size_t length_at, ByteSpan body) {
  ByteReader in(body);
  in.skip(4);
  const std::uint32_t length = in.u4();
  CodeOutline code{length_at, body, in.take(length)};
  if (!in.ok() || length == 0 || length > 0xffff) return std::nullopt;
  return code;
}

// False if the method has two Code attributes or one that does not parse.
bool parse_method(ByteReader& in, const ConstantPool& pool, MethodOutline& method) {
  method.access = in.u2();
  method.name = pool.utf8(in.u2());
  method.descriptor = pool.utf8(in.u2());
  for (std::uint16_t left = in.u2(); left > 0 && in.ok(); --left) {
    const std::uint16_t name_index = in.u2();
    // An index beyond the pool would later denote an added entry.
    if (pool.tag(name_index) != kUtf8) return false;
    const std::string_view name = pool.utf8(name_index);
    const std::size_t length_at = in.position();
    const ByteSpan body = in.take(in.u4());
    if (name != "Code") continue;
    if (method.code) return false;
    method.code = outline_code(length_at, body);
    if (!method.code) return false;
  }
  return in.ok() && !method.name.empty() && !method.descriptor.empty();
}

}  // namespace

void skip_attributes(ByteReader& in) {
  for (std::uint16_t left = in.u2(); left > 0 && in.ok(); --left) {
    in.skip(2);
    in.skip(in.u4());
  }
}

std::optional<ClassFile> ClassFile::parse(ByteSpan bytes, SkipReason& why) {
  why = SkipReason::kNotAClassFile;
  ByteReader in(bytes);
  if (in.u4() != kMagic) return std::nullopt;
  ClassFile file;
  file.bytes = bytes;
  file.minor = in.u2();
  file.major = in.u2();
  // Up to 45.2 the fields of Code were narrower; HotSpot still accepts them.
  if (file.major < 45 || (file.major == 45 && file.minor <= 2)) {
    if (in.ok()) why = SkipReason::kOldCodeFormat;
    return std::nullopt;
  }
  const std::uint16_t pool_count = in.u2();
  auto pool = ConstantPool::parse(in, pool_count, why);
  if (!pool) return std::nullopt;
  why = SkipReason::kNotAClassFile;
  file.pool = std::move(*pool);
  file.pool_end = in.position();
  in.skip(2);  // access_flags
  file.name = file.pool.class_name(in.u2());
  in.skip(2);                         // super_class
  in.skip(std::size_t{2} * in.u2());  // interfaces
  for (std::uint16_t fields = in.u2(); fields > 0 && in.ok(); --fields) {
    in.skip(6);
    skip_attributes(in);
  }
  const std::uint16_t method_count = in.u2();
  // A method has at least 8 bytes: a wrong count must not cause a large allocation.
  if (method_count <= (bytes.size() - in.position()) / 8) file.methods.reserve(method_count);
  for (std::uint16_t left = method_count; left > 0 && in.ok(); --left) {
    if (!parse_method(in, file.pool, file.methods.emplace_back())) return std::nullopt;
  }
  file.source_file = source_file_of(in, file.pool);
  if (!in.ok() || !in.at_end() || file.name.empty()) return std::nullopt;
  why = SkipReason::kNone;
  return file;
}

}  // namespace bci
