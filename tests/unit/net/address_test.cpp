#include "wire/sockets/address.h"

#include <catch2/catch.hpp>

#include "wire/sockets/socket_address.h"

using ddm::Address;
using ddm::parse_address;

namespace {

std::string canonical(const std::string& text) {
  const auto address = parse_address(text);
  return address ? to_string(*address) : "error: " + address.message();
}

}  // namespace

TEST_CASE("Every form of an address is read and written back") {
  CHECK(canonical("127.0.0.1:0") == "127.0.0.1:0");
  CHECK(canonical("8000") == "127.0.0.1:8000");
  CHECK(canonical("localhost:65535") == "localhost:65535");
  CHECK(canonical("[::1]:8000") == "[::1]:8000");
  CHECK(canonical("[fe80::1%eth0]:8000") == "[fe80::1%eth0]:8000");
  CHECK(canonical("*:8000") == "0.0.0.0:8000");
  CHECK(canonical("scan") == "scan");
  CHECK(canonical("none") == "none");
  CHECK(canonical("unix:/run/x.sock") == "unix:/run/x.sock");
}

TEST_CASE("A relative path of a Unix socket becomes absolute") {
  const auto address = parse_address("unix:x.sock");
  REQUIRE(address);
  CHECK(address->path.front() == '/');
  CHECK(address->path.ends_with("/x.sock"));
}

TEST_CASE("A bad address is refused with its value and the valid forms") {
  const char* bad[] = {"",        ":8000",  "host:",  "65536",     "-1",         "8000x",
                       "a:b:1",   "::1:80", "[::1]",  "[::1:80",   "[hello]:80", "unix:",
                       "host:+1", " 8000",  "a b:80", "host:0x10", "127.0.0.1",  "h,i:80"};
  for (const std::string text : bad) {
    INFO(text);
    const auto address = parse_address(text);
    REQUIRE_FALSE(address.ok());
    CHECK(address.message().find("'" + text + "'") != std::string::npos);
    CHECK(address.message().find("HOST:PORT") != std::string::npos);
    CHECK(address.message().find("unix:PATH") != std::string::npos);
  }
}

TEST_CASE("A Unix path longer than a socket address can hold is refused") {
  CHECK(parse_address("unix:/" + std::string(106, 'x')).ok());
  CHECK_FALSE(parse_address("unix:/" + std::string(107, 'x')).ok());
}

TEST_CASE("Only addresses of this machine count as loopback") {
  for (const char* text :
       {"8000", "127.9.9.9:1", "localhost:1", "[::1]:1", "scan", "none", "unix:/x"}) {
    INFO(text);
    CHECK(is_loopback(*parse_address(text)));
  }
  for (const char* text : {"*:1", "0.0.0.0:1", "192.168.1.1:1", "[::]:1", "[fe80::1]:1",
                           "example.org:1", "128.0.0.1:1"}) {
    INFO(text);
    CHECK_FALSE(is_loopback(*parse_address(text)));
  }
}

TEST_CASE("A host name that does not exist gives an error that names it") {
  const auto found = ddm::resolve({Address::Kind::kTcp, "no-such-host.invalid", 1, ""});
  REQUIRE_FALSE(found.ok());
  CHECK(found.message().find("no-such-host.invalid") != std::string::npos);
}

TEST_CASE("A resolved address turns back into the same text") {
  for (const char* text : {"127.0.0.1:8000", "[::1]:80", "unix:/run/a"}) {
    const auto found = ddm::resolve(*parse_address(text));
    REQUIRE(found);
    CHECK(to_string(ddm::to_address(found->front())) == text);
  }
}
