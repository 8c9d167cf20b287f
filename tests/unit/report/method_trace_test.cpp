#include "report/traces/method_trace.h"

#include <catch2/catch.hpp>
#include <cstring>

using ddm::MethodTrace;
using ddm::TraceEvent;

namespace {

MethodTrace sample(bool dual) {
  MethodTrace trace;
  trace.dual = dual;
  trace.pid = 42;
  trace.begin_micros = 1'000'000;
  trace.elapsed_micros = 300;
  trace.threads = {{1, "main"}, {2, "w\tith\ttabs \xc3\xa9"}};
  trace.methods[0] = {"shop.Cart", "total", "(I)J", "Cart.java", 12};
  trace.methods[9] = {"shop.Cart", "<init>", "()V", "", -1};
  trace.events = {{10, 5000, 0, 1, TraceEvent::kEnter},
                  {20, 700, 9, 2, TraceEvent::kEnter},
                  {25, 701, 9, 2, TraceEvent::kThrow},
                  {90, 5077, 0, 1, TraceEvent::kReturn}};
  return trace;
}

template <typename T>
T little(const std::string& bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

TEST_CASE("a trace has the key section that all readers take") {
  const std::string file = ddm::method_trace_file(sample(false));
  const std::size_t end = file.find("*end\n");
  REQUIRE(end != std::string::npos);
  CHECK(file.substr(0, end) ==
        "*version\n2\ndata-file-overflow=false\nclock=wall\nelapsed-time-usec=300\n"
        "num-method-calls=2\nclock-call-overhead-nsec=0\nvm=art\npid=42\n"
        "*threads\n1\tmain\n2\tw ith tabs \\u00e9\n"
        "*methods\n0x4\tshop.Cart\ttotal\t(I)J\tCart.java\t12\n"
        "0x28\tshop.Cart\t<init>\t()V\tunknown\t-1\n");
}

TEST_CASE("a thread whose name is the end mark ends nothing") {
  MethodTrace trace = sample(false);
  trace.threads = {{1, "*end"}, {2, "at the\n*end"}};
  const std::string file = ddm::method_trace_file(trace);
  CHECK(file.find("*end\n") == file.find("*end\nSLOW"));
  MethodTrace read;
  CHECK(ddm::read_method_trace(file, read) == "");
  CHECK(read.threads == std::map<std::uint16_t, std::string>{{1, "*end "}, {2, "at the *end "}});
  CHECK(read.events.size() == 4);
}

TEST_CASE("names that are not ASCII are escaped and come back") {
  MethodTrace trace = sample(false);
  trace.methods[9] = {
      "shop.Gr\xC3\xB6\xC3\x9F"
      "e",
      "m\xED\xA0\xBD\xED\xB8\x80", "()V", "Gr\xC3\xB6.java", 3};
  const std::string file = ddm::method_trace_file(trace);
  CHECK(file.find("\tshop.Gr\\u00f6\\u00dfe\tm\\ud83d\\ude00\t()V\tGr\\u00f6.java\t3\n") !=
        std::string::npos);
  MethodTrace read;
  CHECK(ddm::read_method_trace(file, read) == "");
  CHECK(read.methods[9].class_name ==
        "shop.Gr\xC3\xB6\xC3\x9F"
        "e");
  CHECK(read.methods[9].method == "m\xF0\x9F\x98\x80");
  CHECK(read.methods[9].file == "Gr\xC3\xB6.java");
  CHECK(read.methods[0].method == "total");
}

TEST_CASE("records of a wall clock have ten bytes") {
  const std::string file = ddm::method_trace_file(sample(false));
  const std::size_t data = file.find("*end\n") + 5;
  CHECK(file.substr(data, 4) == "SLOW");
  CHECK(little<std::uint16_t>(file, data + 4) == 2);
  CHECK(little<std::uint16_t>(file, data + 6) == 32);
  CHECK(little<std::uint64_t>(file, data + 8) == 1'000'000);
  REQUIRE(file.size() == data + 32 + 4 * 10);
  const std::size_t third = data + 32 + 2 * 10;
  CHECK(little<std::uint16_t>(file, third) == 2);
  CHECK(little<std::uint32_t>(file, third + 2) == (0x28 | TraceEvent::kThrow));
  CHECK(little<std::uint32_t>(file, third + 6) == 25);
}

TEST_CASE("records of both clocks count CPU from the thread's first") {
  const std::string file = ddm::method_trace_file(sample(true));
  const std::size_t data = file.find("*end\n") + 5;
  CHECK(file.find("clock=dual\n") != std::string::npos);
  CHECK(little<std::uint16_t>(file, data + 4) == 3);
  CHECK(little<std::uint16_t>(file, data + 16) == 14);
  REQUIRE(file.size() == data + 32 + 4 * 14);
  const std::size_t last = data + 32 + 3 * 14;
  CHECK(little<std::uint32_t>(file, last + 2) == (0x4 | TraceEvent::kReturn));
  CHECK(little<std::uint32_t>(file, last + 6) == 77);
  CHECK(little<std::uint32_t>(file, last + 10) == 90);
}

TEST_CASE("what comes after 71 minutes does not fit into a trace, which says so") {
  MethodTrace trace = sample(false);
  trace.events.push_back({1ull << 33, 0, 0, 1, TraceEvent::kEnter});
  const std::string file = ddm::method_trace_file(trace);
  CHECK(file.find("data-file-overflow=true\n") != std::string::npos);
  CHECK(file.find("\nlost-events=1\n") != std::string::npos);
  CHECK(file.size() == file.find("*end\n") + 5 + 32 + 4 * 10);
}

TEST_CASE("a trace tells how many events it lacks") {
  MethodTrace trace = sample(false), read;
  CHECK(ddm::method_trace_file(trace).find("lost-events") == std::string::npos);
  trace.overflow = true;
  trace.lost = 1ull << 40;
  CHECK(ddm::read_method_trace(ddm::method_trace_file(trace), read) == "");
  CHECK(read.overflow);
  CHECK(read.lost == 1ull << 40);
}

TEST_CASE("a trace is read back as it was written, and a broken one refused") {
  for (const bool dual : {false, true}) {
    const MethodTrace written = sample(dual);
    const std::string file = ddm::method_trace_file(written);
    MethodTrace read;
    REQUIRE(ddm::read_method_trace(file, read) == "");
    CHECK(read.dual == dual);
    CHECK(read.threads.at(1) == "main");
    CHECK(read.methods.at(0).file == "Cart.java");
    CHECK(read.methods.at(9).method == "<init>");
    REQUIRE(read.events.size() == written.events.size());
    CHECK(read.events[2].action == TraceEvent::kThrow);
    CHECK(read.events[3].wall_micros == 90);
    for (std::size_t end = 0; end < file.size(); ++end) {
      MethodTrace part;
      const std::string problem = ddm::read_method_trace(file.substr(0, end), part);
      // Cut off behind a record it is a shorter trace.
      if (problem.empty()) CHECK(part.events.size() < written.events.size());
    }
  }
  MethodTrace none;
  CHECK(ddm::read_method_trace("nothing", none) == "it has no key section");
}
