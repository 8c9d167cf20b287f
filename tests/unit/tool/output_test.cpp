#include "output.h"

#include <catch2/catch.hpp>

#include "held_locks.h"
#include "jvm_process.h"
#include "option_values.h"

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

TEST_CASE("What a line, a table or a row quotes neither ends it nor commands the terminal") {
  const std::string evil = "a\n\x1B[2J\xC2\x9B\xE2\x80\xAE\xFF";
  const std::string shown = "a\\u000a\\u001b[2J\\u009b\\u202e\\xff";
  CHECK(printable_format("{} and {}\n", evil, 7) == shown + " and 7\n");
  TextTable table({"NAME"});
  table.add({evil});
  table.add_line(evil);
  CHECK(table.text(kNoWidth) == "NAME\n" + shown + "\n" + shown + "\n");
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

TEST_CASE("A time is a number with or without a unit, wherever it is asked for") {
  CHECK(seconds_of("2") == 2.0);
  CHECK(seconds_of("2s") == 2.0);
  CHECK(seconds_of("0.5") == 0.5);
  CHECK(seconds_of("500ms") == 0.5);
  CHECK(seconds_of("250us") == 0.00025);
  CHECK(seconds_of("1m") == 60.0);
  CHECK(seconds_of("1h") == 3600.0);
  CHECK(seconds_of("0") == 0.0);
  for (const char* none : {"", "s", "2 s", "2d", "-1", "-1s", "nan", "soon", "2ss", "0x2"}) {
    CHECK_FALSE(seconds_of(none));
  }
}

TEST_CASE("A pid is a number above 0, and what is not is told without numbers of C++") {
  CHECK(pid_error("4711").empty());
  for (const char* none : {"foo", "0", "-1", "", "1x", "99999999999"}) {
    CHECK(pid_error(none).find("'" + std::string(none) + "' is not a pid") == 0);
  }
}

namespace {

ThreadLocks::Thread waiting(std::int64_t id, std::int64_t owner) {
  ThreadLocks::Thread thread;
  thread.java_id = id;
  thread.name = "t" + std::to_string(id);
  thread.owner_id = owner;
  thread.owner = "t" + std::to_string(owner);
  if (owner > 0) thread.waits = ThreadLocks::Waits::kEnter;
  thread.lock = {"a.Lock", 0xab};
  return thread;
}

}  // namespace

TEST_CASE("Threads that wait for each other are a deadlock, those that wait for them are not") {
  ThreadLocks locks;
  // 1 -> 2 -> 3 -> 1; 4 -> 1; 5 -> 6, which runs; 7 -> 8 -> 7; 9 -> 99, which is not there.
  locks.threads = {waiting(4, 1), waiting(1, 2), waiting(2, 3), waiting(3, 1), waiting(5, 6),
                   waiting(6, 0), waiting(7, 8), waiting(8, 7), waiting(9, 99)};
  const auto circles = deadlocks_of(locks);
  REQUIRE(circles.size() == 2);
  CHECK(circles[0].size() == 3);
  CHECK(circles[1].size() == 2);
  CHECK(deadlocks_text({circles[1]}) ==
        "deadlock:\n"
        "    \"t7\" #7 is waiting to lock a.Lock@ab, held by \"t8\" #8\n"
        "    \"t8\" #8 is waiting to lock a.Lock@ab, held by \"t7\" #7\n");
  locks.threads[6].waits = ThreadLocks::Waits::kWait;  // for a signal, which anybody may give
  CHECK(deadlocks_of(locks).size() == 1);
  CHECK(deadlocks_text({}).empty());
}
