#include "output.h"

#include <catch2/catch.hpp>

#include "vm_words.h"

using namespace ddm;  // NOLINT: a test of one part

TEST_CASE("A table that is too wide shrinks names, packages first, and no numbers") {
  TextTable table({">PID", "ADDRESS", "~VM", ".APP"});
  table.add({"4711", "127.0.0.1:40123", "OpenJDK 17.0.21+9", "org.example.shop.front.Main"});
  CHECK(table.text(kNoWidth) ==
        " PID  ADDRESS          VM                 APP\n"
        "4711  127.0.0.1:40123  OpenJDK 17.0.21+9  org.example.shop.front.Main\n");
  CHECK(table.text(60) ==
        " PID  ADDRESS          VM                 APP\n"
        "4711  127.0.0.1:40123  OpenJDK 17.0.21+9  o.e.s.front.Main\n");
  CHECK(table.text(50) ==
        " PID  ADDRESS          VM            APP\n"
        "4711  127.0.0.1:40123  Open....21+9  o.e.s.f.Main\n");
}

TEST_CASE("A line of its own stands below its row") {
  TextTable table({">BYTES", ".CLASS"});
  table.add({"16", "a.B"});
  table.add_line("    at a.C.d(C.java:1)");
  table.add({"8", "a.E"});
  CHECK(table.text(kNoWidth) == "BYTES  CLASS\n   16  a.B\n    at a.C.d(C.java:1)\n    8  a.E\n");
}

TEST_CASE("Long text is broken at blanks and goes on below its beginning") {
  CHECK(wrapped("one two three", 4, 80) == "one two three");
  CHECK(wrapped("one two three", 4, 11) == "one two\n    three");
  CHECK(wrapped("one averylongword three", 2, 8) == "one\n  averylongword\n  three");
  CHECK(wrapped("", 4, 10).empty());
}

TEST_CASE("A VM is named in short") {
  CHECK(short_vm("OpenJDK 64-Bit Server VM 17.0.21+9-1-deb12u1-Debian") == "OpenJDK 17.0.21+9");
  CHECK(short_vm("OpenJDK 64-Bit Server VM 25+36-LTS") == "OpenJDK 25+36");
  CHECK(short_vm("Dalvik v1.6.0") == "Dalvik v1.6.0");
}
