#include "wire/chunks/thread_chunks.h"

#include "chunk_checks.h"
#include "wire/chunks/lent_options.h"
#include "wire/chunks/switch_request.h"
#include "wire/chunks/thread_locks.h"

using namespace ddm;  // NOLINT: a test of one part

TEST_CASE("Switches are one byte, and anything but 0 is on") {
  check_chunk(ThreadEventsRequest{true}, "01");
  check_chunk(TrackingRequest{false}, "00");
  check_chunk(TrackingRequest{true}, "01");
  check_chunk(TrackingRequest{true, /*while_connected=*/true}, "0101", 1);
  check_chunk(TrackingRequest{false, /*while_connected=*/true}, "0001", 1);
  check_chunk(LentOptionsRequest{"a", ""}, "00000001 0061 00000000");
  check_chunk(LentOptionsReply{}, "00000000");
  check_chunk(TrackingState{true}, "01");
  CHECK(decode<ThreadEventsRequest>(bytes_of("80"))->on);
  CHECK(to_chunk(ThreadEventsRequest{}).type == chunk_type("THEN"));
  CHECK(to_chunk(TrackingRequest{}).type == chunk_type("REAE"));
  CHECK(to_chunk(TrackingState{}).type == chunk_type("REAQ"));
}

TEST_CASE("Thread events carry the id and the name") {
  check_chunk(ThreadCreated{5, "main"}, "00000005 00000004 \"main");
  check_chunk(ThreadRenamed{5, ""}, "00000005 00000000");
  check_chunk(ThreadDied{65535}, "0000ffff");
  check_chunk(StackRequest{5}, "00000005");
  CHECK(to_chunk(ThreadCreated{}).type == chunk_type("THCR"));
  CHECK(to_chunk(ThreadRenamed{}).type == chunk_type("THNM"));
  CHECK(to_chunk(ThreadDied{}).type == chunk_type("THDE"));
  CHECK(to_chunk(StackRequest{}).type == chunk_type("STKL"));
}

TEST_CASE("THST asks for one table, or for a list in intervals") {
  CHECK(encode(ThreadStatusRequest{}).empty());
  CHECK(decode<ThreadStatusRequest>({}) == ThreadStatusRequest{});
  CHECK(encode(ThreadStatusRequest{500}) == bytes_of("000001f4"));
  CHECK(decode<ThreadStatusRequest>(bytes_of("000001f4")) == ThreadStatusRequest{500});
  CHECK(decode<ThreadStatusRequest>(bytes_of("00000000")) == ThreadStatusRequest{0});
  CHECK_FALSE(decode<ThreadStatusRequest>(bytes_of("00")));
  CHECK_FALSE(decode<ThreadStatusRequest>(bytes_of("000001")));
}

TEST_CASE("THID tells Java's own ids, of 64 bits") {
  check_chunk(JavaThreadIds{{{1, 1}, {3, 0x1234567890}}},
              "00000002 00000001 0000000000000001 00000003 0000001234567890");
  check_chunk(JavaThreadIds{}, "00000000");
  CHECK(to_chunk(JavaThreadIds{}).type == chunk_type("THID"));
}

TEST_CASE("THST's table has the layout that ddmlib polls") {
  const ThreadStatusTable table{
      {{1, ThreadState::kRunning, 4712, 100, 7, false}, {2, ThreadState::kWait, 4713, 0, 0, true}}};
  check_chunk(table,
              "04 12 0002 00000001 01 00001268 00000064 00000007 00"
              "           00000002 04 00001269 00000000 00000000 01");
  check_chunk(ThreadStatusTable{}, "04 12 0000");
}

TEST_CASE("THST's table may have a longer header, longer entries or no daemon byte") {
  const ThreadStatusTable expected{{{1, ThreadState::kNative, 2, 3, 4, true}}};
  CHECK(ThreadStatusTable::decode(bytes_of(
            "06 14 0001 eeee 00000001 07 00000002 00000003 00000004 01 eeee")) == expected);
  const auto old =
      ThreadStatusTable::decode(bytes_of("04 11 0001 00000001 07 00000002 00000003 00000004"));
  REQUIRE(old);
  CHECK_FALSE(old->entries[0].daemon);
  CHECK_FALSE(ThreadStatusTable::decode(bytes_of("03 12 0000")));
  CHECK_FALSE(ThreadStatusTable::decode(bytes_of("04 10 0000")));
}

TEST_CASE("THST's table never has more entries than a signed count can say") {
  ThreadStatusTable table;
  table.entries.resize(40'000);
  const Bytes bytes = encode(table);
  CHECK(Bytes(bytes.begin(), bytes.begin() + 4) == bytes_of("04 12 7fff"));
  CHECK(bytes.size() == 4 + 32767 * 18);
  CHECK(ThreadStatusTable::decode(bytes)->entries.size() == 32767);
}

TEST_CASE("THST's periodic list has the layout of 2007") {
  check_chunk(
      ThreadStatusList{{{1, ThreadState::kRunning, false}, {9, ThreadState::kMonitor, true}}},
      "00000002 00000001 01 00 00000009 03 01");
  CHECK_FALSE(decode<ThreadStatusList>(bytes_of("ffffffff 00000001 01 00")));
}

TEST_CASE("STKL's reply has the frames with their lines, innermost first") {
  ThreadStack stack;
  stack.id = 3;
  stack.frames = {{"a.B", "wait", "", -2}, {"a.C", "run", "C.java", 70'000}};
  check_chunk(stack,
              "00000000 00000003 00000002 "
              "00000003 \"a.B 00000004 \"wait 00000000 fffffffe "
              "00000003 \"a.C 00000003 \"run 00000006 \"C.java 00011170");
  check_chunk(ThreadStack{}, "00000000 00000000 00000000");
}

TEST_CASE("THLK has the stacks of all threads with the locks they hold and wait for") {
  ThreadLocks::Thread runs;
  runs.java_id = 1;
  runs.name = "m";
  ThreadLocks::Thread waits = runs;
  waits.java_id = 2;
  waits.waits = ThreadLocks::Waits::kEnter;
  waits.lock = {"L", 0xab};
  waits.owner_id = 1;
  waits.owner = "m";
  waits.frames = {{"C", "f", "", -2}};
  waits.held = {{{"K", 7}, 0}};
  check_chunk(ThreadLocks{{runs, waits}},
              "00000002"
              "0000000000000001 00000001 \"m 00 00000000 00000000"
              "0000000000000002 00000001 \"m 01 00000001 \"L 000000ab 0000000000000001 00000001 \"m"
              "  00000001 00000001 \"C 00000001 \"f 00000000 fffffffe"
              "  00000001 00000001 \"K 00000007 00000000");
  check_chunk(ThreadLocks{}, "00000000");
  CHECK(to_chunk(ThreadLocks{}).type == chunk_type("THLK"));
  // A way to wait that nobody knows.
  CHECK_FALSE(
      decode<ThreadLocks>(bytes_of("00000001 0000000000000001 00000000 04 00000000 00000000 "
                                   "0000000000000000 00000000 00000000 00000000")));
}
