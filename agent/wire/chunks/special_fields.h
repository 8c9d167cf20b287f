// Layouts of kFields beyond those of fields.h.
#pragma once

#include <algorithm>
#include <functional>

#include "wire/chunks/fields.h"

namespace ddm {

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

// A u4 that real servers read as a signed number: at most 2^31 - 1.
template <typename M>
struct Capped {
  std::uint64_t M::*member;
  void write(ByteWriter& out, const M& message) const {
    out.u4(static_cast<std::uint32_t>(std::min<std::uint64_t>(message.*member, 0x7fffffff)));
  }
  void read(ByteReader& in, M& message) const { message.*member = in.u4(); }
};
template <typename M>
Capped(std::uint64_t M::*) -> Capped<M>;

// The last fields, which were added to the protocol later: a reader takes those that are missing or
// truncated as 0 or empty.
template <typename... Fields>
struct AddedLater {
  explicit constexpr AddedLater(Fields... each) : fields(each...) {}
  void write(ByteWriter& out, const auto& message) const { write_members(out, message, fields); }
  void read(ByteReader& in, auto& message) const {
    ByteReader rest(in.rest());
    read_members(rest, message, fields);
  }
  std::tuple<Fields...> fields;
};

// The last fields, which are left out if all are 0 or empty.
template <typename... Fields>
struct LeftOutIfEmpty {
  explicit constexpr LeftOutIfEmpty(Fields... each) : fields(each...) {}
  void write(ByteWriter& out, const auto& message) const {
    ByteWriter some;
    write_members(some, message, fields);
    const Bytes bytes = some.take();
    if (std::ranges::any_of(bytes, std::identity())) out.bytes(bytes);
  }
  void read(ByteReader& in, auto& message) const {
    if (in.remaining() > 0) read_members(in, message, fields);
  }
  std::tuple<Fields...> fields;
};

}  // namespace ddm
