// Heap dumps put together field by field. Shared by the tests of what reads them.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

namespace ddm {

struct Dump {
  std::string bytes = std::string("JAVA PROFILE 1.0.2\0", 19);

  Dump() {
    u(8, 4);
    u(0, 8);
  }
  Dump& u(std::uint64_t value, int size) {
    while (size-- > 0) bytes += size < 8 ? static_cast<char>(value >> 8 * size) : '\0';
    return *this;
  }
  Dump& record(int tag, const std::string& body) {
    u(static_cast<std::uint64_t>(tag), 1).u(0, 4).u(body.size(), 4);
    bytes += body;
    return *this;
  }
  Dump& text(std::uint64_t id, const std::string& value) {
    return record(1, body([&](Dump& d) { d.u(id, 8).bytes += value; }));
  }
  Dump& type(std::uint64_t id, std::uint64_t name) {
    return record(2, body([&](Dump& d) { d.u(1, 4).u(id, 8).u(1, 4).u(name, 8); }));
  }
  template <typename Fill>
  static std::string body(Fill fill) {
    Dump inner;
    inner.bytes.clear();
    fill(inner);
    return inner.bytes;
  }
};

// A file without a name that holds a dump; closed with this.
class DumpFile {
 public:
  explicit DumpFile(const std::string& bytes) {
    char name[] = "/tmp/ddm-dump-XXXXXX";
    fd_ = mkstemp(name);
    REQUIRE(fd_ >= 0);
    unlink(name);
    REQUIRE(write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  ~DumpFile() { close(fd_); }
  DumpFile(const DumpFile&) = delete;
  DumpFile& operator=(const DumpFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

// a.B extends Object with a reference `next` and an int; one instance, two arrays.
inline Dump small_dump() {
  Dump dump;
  dump.text(101, "java/lang/Object").text(102, "a/B").text(103, "[La/B;").text(104, "next");
  dump.text(105, "count").text(106, "cache").text(107, "inherited");
  dump.type(0x10, 101).type(0x20, 102).type(0x30, 103);
  dump.record(0x1C, Dump::body([](Dump& d) {
                d.u(0x20, 1).u(0x10, 8).u(1, 4).u(0, 48).u(24, 4).u(0, 2).u(0, 2);
                d.u(1, 2).u(107, 8).u(2, 1);
                d.u(0x20, 1).u(0x20, 8).u(1, 4).u(0x10, 8).u(0, 40).u(32, 4).u(0, 2);
                d.u(2, 2).u(106, 8).u(2, 1).u(0x500, 8).u(105, 8).u(10, 1).u(7, 4);
                d.u(2, 2).u(105, 8).u(10, 1).u(104, 8).u(2, 1);
              }));
  dump.record(0x1C, Dump::body([](Dump& d) {
                d.u(0x21, 1).u(0x500, 8).u(1, 4).u(0x20, 8).u(20, 4).u(42, 4).u(0x600, 8).u(0x700,
                                                                                            8);
                d.u(0x22, 1).u(0x600, 8).u(1, 4).u(3, 4).u(0x30, 8).u(0, 8).u(0x500, 8).u(0, 8);
                d.u(0x23, 1).u(0x700, 8).u(1, 4).u(3, 4).u(9, 1).u(1, 2).u(2, 2).u(3, 2);
                d.u(5, 1).u(0x20, 8);
                d.u(8, 1).u(0x500, 8).u(4, 4).u(9, 4);
                d.u(3, 1).u(0x600, 8).u(4, 4).u(2, 4);
                d.u(1, 1).u(0x600, 8).u(0x99, 8);
              }));
  dump.record(0x2C, "");
  return dump;
}

}  // namespace ddm
