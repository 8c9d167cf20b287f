// Describes a chunk's layout once: kFields of a struct lists its members in wire order, and both
// encoding and decoding follow it.
//
//   bool: u1; numbers and enums: their width; std::string: str; std::vector: u4 count, elements;
//   pairs and structs with kFields: their members
#pragma once

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "wire/chunks/chunk.h"

namespace ddm {

template <typename T>
void write_field(ByteWriter& out, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    out.str(value);
  } else if constexpr (requires { value.capacity(); }) {
    out.u4(static_cast<std::uint32_t>(value.size()));
    for (const auto& each : value) write_field(out, each);
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
  } else if constexpr (requires { value.second; }) {
    read_field(in, value.first);
    read_field(in, value.second);
  } else if constexpr (std::is_class_v<T>) {
    read_members(in, value, T::kFields);
  } else {
    value = static_cast<T>(in.number(sizeof value));
  }
}

// `field`: a member pointer, or one of the fields below.
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

// u4 0, ignored by readers.
struct ReservedField {
  void write(ByteWriter& out, const auto&) const { out.u4(0); }
  void read(ByteReader& in, auto&) const { in.u4(); }
};

// A list with a u1 count; elements beyond 255 are dropped.
template <typename M, typename T>
struct ShortList {
  std::vector<T> M::*list;
  void write(ByteWriter& out, const M& message) const {
    const std::vector<T>& all = message.*list;
    const std::size_t count = std::min<std::size_t>(all.size(), 255);
    out.u1(static_cast<std::uint8_t>(count));
    for (std::size_t i = 0; i < count; ++i) write_field(out, all[i]);
  }
  void read(ByteReader& in, M& message) const {
    for (int left = in.u1(); left > 0 && in.ok(); --left) {
      read_field(in, (message.*list).emplace_back());
    }
  }
};
template <typename M, typename T>
ShortList(std::vector<T> M::*) -> ShortList<M, T>;

// An enum whose valid values are at most `most`.
template <typename M, typename T>
struct UpTo {
  T M::*member;
  T most;
  void write(ByteWriter& out, const M& message) const { write_field(out, message.*member); }
  void read(ByteReader& in, M& message) const {
    read_field(in, message.*member);
    if (message.*member > most) in.fail();
  }
};
template <typename M, typename T>
UpTo(T M::*, T) -> UpTo<M, T>;

// Members that are present only if another one is not 0.
template <typename M, typename T, typename Fields>
struct OnlyWith {
  T M::*member;
  Fields fields;
  void write(ByteWriter& out, const M& message) const {
    if (message.*member != T{}) write_members(out, message, fields);
  }
  void read(ByteReader& in, M& message) const {
    if (message.*member != T{}) read_members(in, message, fields);
  }
};
template <typename M, typename T, typename Fields>
OnlyWith(T M::*, Fields) -> OnlyWith<M, T, Fields>;

template <typename M>
Bytes encode_fields(const M& message) {
  ByteWriter out;
  write_field(out, message);
  return out.take();
}
// nullopt: the data is truncated or invalid. Data after the last field is ignored.
template <typename M>
std::optional<M> decode_fields(ByteSpan data) {
  ByteReader in(data);
  M message;
  read_field(in, message);
  if (!in.ok()) return {};
  return message;
}

}  // namespace ddm
