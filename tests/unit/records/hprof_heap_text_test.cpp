#include "records/hprof_heap_text.h"

#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

namespace ddm {
namespace {

// A dump is put together field by field.
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

std::string text_of(const std::string& dump, std::string* error = nullptr) {
  char name[] = "/tmp/heap-text-XXXXXX";
  const int fd = mkstemp(name);
  REQUIRE(fd >= 0);
  unlink(name);
  REQUIRE(write(fd, dump.data(), dump.size()) == static_cast<ssize_t>(dump.size()));
  std::string text;
  HprofHeapSizes sizes;
  sizes.instances = {{"a/B", 40}};
  const std::string problem = hprof_heap_text(fd, sizes, 0, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  close(fd);
  if (error != nullptr) {
    *error = problem;
  } else {
    CHECK(problem.empty());
  }
  return text;
}

// a.B extends Object with a reference `next` and an int; one instance, two arrays.
Dump small_dump() {
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

}  // namespace

TEST_CASE("a heap dump in text has roots, classes, objects and arrays with their references") {
  const std::string text = text_of(small_dump().bytes);
  CHECK(text.rfind("HEAP DUMP BEGIN (3 objects, 96 bytes) ", 0) == 0);
  const std::string body = text.substr(text.find('\n') + 1);
  CHECK(body ==
        "CLS 10 (name=java.lang.Object, trace=300000)\n"
        "CLS 20 (name=a.B, trace=300000)\n"
        "\tsuper\t\t10\n"
        "\tstatic cache\t500\n"
        "OBJ 500 (sz=40, trace=300000, class=a.B@20)\n"
        "\tnext\t600\n"
        "\tinherited\t700\n"
        "ARR 600 (sz=32, trace=300000, nelems=3, elem type=a.B@30)\n"
        "\t[1]\t\t500\n"
        "ARR 700 (sz=24, trace=300000, nelems=3, elem type=short)\n"
        "ROOT 20 (kind=<system class>, name=a.B)\n"
        "ROOT 500 (kind=<thread>, id=4, trace=300000)\n"
        "ROOT 600 (kind=<Java stack>, thread=4, frame=2)\n"
        "ROOT 600 (kind=<JNI global ref>, id=99, trace=300000)\n"
        "HEAP DUMP END\n");
}

TEST_CASE("a heap dump that ends early, or is none, is told and never read beyond its end") {
  const std::string whole = small_dump().bytes;
  std::string error;
  for (std::size_t size = 0; size < whole.size() - 9; ++size) {
    text_of(whole.substr(0, size), &error);  // terminates
  }
  text_of("no dump at all", &error);
  CHECK(error == "this is no heap dump");
  std::string broken = whole;
  broken[broken.find("\x23", 300)] = 0x77;
  text_of(broken, &error);
  CHECK_FALSE(error.empty());
}

}  // namespace ddm
