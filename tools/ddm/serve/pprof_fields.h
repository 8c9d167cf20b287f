// The fields of a profile's protobuf messages, one after the other. The bytes may be arbitrary: a
// field of another wire type than it is read as, or a damaged one, throws (std::exception).
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <stdexcept>
#include <string_view>

namespace ddm {

class PprofFields {
 public:
  using Tag = protozero::pbf_tag_type;

  explicit PprofFields(std::string_view message) : fields_(message.data(), message.size()) {}

  // Each field must be read or skipped before the next one.
  bool next() { return fields_.next(); }
  bool next(Tag tag) { return fields_.next(tag); }  // skips others
  Tag tag() const { return fields_.tag(); }
  bool is_number() const { return fields_.wire_type() == Type::varint; }
  void skip() { fields_.skip(); }

  std::uint64_t number() {
    require(Type::varint);
    return fields_.get_uint64();
  }
  std::string_view bytes() {
    require(Type::length_delimited);
    const auto view = fields_.get_view();
    return {view.data(), view.size()};
  }
  PprofFields message() { return PprofFields(bytes()); }

  // The numbers of a repeated field. Whether they are packed into one field or have one each is the
  // writer's choice, and Go's pprof packs three and more only.
  template <typename Use>
  void each_number(const Use& use) {
    if (is_number()) return use(number());
    const std::string_view packed = bytes();
    const char* at = packed.data();
    const char* const end = at + packed.size();
    while (at != end) use(protozero::decode_varint(&at, end));
  }

 private:
  using Type = protozero::pbf_wire_type;

  // protozero itself asserts.
  void require(Type type) const {
    if (fields_.wire_type() != type) throw std::runtime_error("a field of another type");
  }

  protozero::pbf_reader fields_;
};

}  // namespace ddm
