#include "wire/chunks/hello.h"

#include "chunk_checks.h"
#include "wire/chunks/app_state.h"
#include "wire/chunks/fail.h"

using namespace ddm;  // NOLINT: a test of one part

TEST_CASE("HELO's request is the server's version") {
  check_chunk(HelloRequest{1}, "00000001");
  CHECK(to_chunk(HelloRequest{}).type == 0x48454c4f);
}

TEST_CASE("HELO's reply has twelve fields, both lengths before both names") {
  HelloReply reply;
  reply.pid = 4711;
  reply.vm = "HS";
  reply.app = "a.j";
  reply.user_id = 0;
  reply.abi = "64";
  reply.jvm_flags = "C";
  reply.native_debuggable = true;
  reply.package = "p";
  reply.stage = kStageRunning;
  check_chunk(reply,
              "00000001 00001267 00000002 00000003 \"HS \"a.j 00000000 00000002 \"64 00000001 \"C "
              "01 00000001 \"p 'A_GO",
              16 + 2 * 5);
}

TEST_CASE("HELO's reply of an older VM has fewer fields") {
  const auto reply =
      decode<HelloReply>(bytes_of("00000001 00000007 00000001 00000001 \"V \"A 0000000a"));
  REQUIRE(reply);
  CHECK(reply->pid == 7);
  CHECK(reply->vm == "V");
  CHECK(reply->app == "A");
  CHECK(reply->user_id == 10);
  CHECK(reply->abi.empty());
  CHECK(reply->stage == 0);
}

TEST_CASE("HELO's names may be empty or beyond ASCII") {
  HelloReply reply;
  check_chunk(reply,
              "00000001 00000000 00000000 00000000 00000000 00000000 00000000 00 00000000 00000000",
              16);
  reply.app = "\xc3\xa4\xf0\x9f\x98\x80";
  const Bytes bytes = encode(reply);
  CHECK(Bytes(bytes.begin() + 12, bytes.begin() + 22) == bytes_of("00000003 00e4 d83d de00"));
  CHECK(decode<HelloReply>(bytes) == reply);
}

TEST_CASE("FEAT is a list of strings") {
  check_chunk(Features{{"a", "bc"}}, "00000002 00000001 \"a 00000002 \"bc");
  check_chunk(Features{}, "00000000");
  CHECK_FALSE(decode<Features>(bytes_of("ffffffff 00000001 \"a")));
}

TEST_CASE("SAID is one text") {
  check_chunk(SaidAtLoad{"a\nb"}, "00000003 \"a 000a \"b");
  CHECK_FALSE(decode<SaidAtLoad>(bytes_of("00000003 \"a")));
}

TEST_CASE("APNM, WAIT, EXIT and FAIL have their fields in order") {
  check_chunk(AppName{"ab", 3, "p"}, "00000002 \"ab 00000003 00000001 \"p", 8);
  check_chunk(Waiting{0}, "00");
  check_chunk(ExitRequest{-1}, "ffffffff");
  check_chunk(Fail{FailCode::kRefused, "no"}, "00000001 00000002 \"no");
  CHECK(to_chunk(AppName{}).type == chunk_type("APNM"));
  CHECK(to_chunk(Waiting{}).type == chunk_type("WAIT"));
  CHECK(to_chunk(ExitRequest{}).type == chunk_type("EXIT"));
  CHECK(to_chunk(Fail{}).type == chunk_type("FAIL"));
}
