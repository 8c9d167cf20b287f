// Describes a chunk's layout once: kFields of a struct lists its members in wire order, and
// encoding, decoding and comparing follow it.
//
//   bool: u1; numbers and enums: their width; std::string: str; std::vector: u4 count, elements;
//   std::optional, last: nothing or its value; pairs and structs with kFields: their members
//
// Other layouts are in special_fields.h, or in a struct's own encode() and decode().
#pragma once

#include <tuple>
#include <type_traits>

#include "wire/chunks/chunk.h"

namespace ddm {

template <typename M>
concept HasFields = requires {
  M::kFields;
};

template <typename T>
void write_field(ByteWriter& out, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    out.str(value);
  } else if constexpr (requires { value.capacity(); }) {
    out.u4(static_cast<std::uint32_t>(value.size()));
    for (const auto& each : value) write_field(out, each);
  } else if constexpr (requires { value.has_value(); }) {
    if (value) write_field(out, *value);
  } else if constexpr (requires { value.second; }) {
    write_field(out, value.first);
    write_field(out, value.second);
  } else if constexpr (std::is_class_v<T>) {
    write_members(out, value, T::kFields);
  } else {
    out.number(static_cast<std::uint64_t>(value), sizeof value);
  }
}
template <typename T>
void read_field(ByteReader& in, T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    value = in.str();
  } else if constexpr (requires { value.capacity(); }) {
    for (std::uint32_t left = in.u4(); left > 0 && in.ok(); --left) {
      read_field(in, value.emplace_back());
    }
  } else if constexpr (requires { value.has_value(); }) {
    if (in.remaining() > 0) read_field(in, value.emplace());
  } else if constexpr (requires { value.second; }) {
    read_field(in, value.first);
    read_field(in, value.second);
  } else if constexpr (std::is_class_v<T>) {
    read_members(in, value, T::kFields);
  } else {
    value = static_cast<T>(in.number(sizeof value));
  }
}

// `field`: a member pointer, or one of special_fields.h.
template <typename M, typename Field>
void write_member(ByteWriter& out, const M& message, const Field& field) {
  if constexpr (std::is_member_object_pointer_v<Field>) {
    write_field(out, message.*field);
  } else {
    field.write(out, message);
  }
}
template <typename M, typename Field>
void read_member(ByteReader& in, M& message, const Field& field) {
  if constexpr (std::is_member_object_pointer_v<Field>) {
    read_field(in, message.*field);
  } else {
    field.read(in, message);
  }
}
template <typename M, typename Fields>
void write_members(ByteWriter& out, const M& message, const Fields& fields) {
  std::apply([&](const auto&... each) { (write_member(out, message, each), ...); }, fields);
}
template <typename M, typename Fields>
void read_members(ByteReader& in, M& message, const Fields& fields) {
  std::apply([&](const auto&... each) { (read_member(in, message, each), ...); }, fields);
}

template <HasFields M>
Bytes encode(const M& message) {
  ByteWriter out;
  write_field(out, message);
  return out.take();
}
template <typename M>
requires requires(const M& message) { message.encode(); }
Bytes encode(const M& message) { return message.encode(); }

// nullopt: the data is truncated or invalid. Data after the last field is ignored.
template <typename M>
std::optional<M> decode(ByteSpan data) {
  if constexpr (HasFields<M>) {
    ByteReader in(data);
    M message;
    read_field(in, message);
    if (!in.ok()) return {};
    return message;
  } else {
    return M::decode(data);
  }
}

template <HasFields M>
bool operator==(const M& a, const M& b) {
  return encode(a) == encode(b);
}

// A struct with kType.
template <typename Message>
Chunk to_chunk(const Message& message) {
  return {Message::kType, encode(message)};
}

}  // namespace ddm
