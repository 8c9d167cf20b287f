// The addresses that the agent listens at or connects to: the values of address= and dyper=. Pure
// functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace ddm {

struct Address {
  enum class Kind {
    kTcp,   // host and port
    kScan,  // first free port of 127.0.0.1:8000-8040, where DDM servers look for VMs
    kUnix,  // path
    kNone,  // no connection at all
  };
  Kind kind = Kind::kTcp;
  std::string host = "127.0.0.1";  // name or numeric address, IPv6 without brackets
  std::uint16_t port = 0;          // 0: any free one
  std::string path;                // absolute

  friend bool operator==(const Address&, const Address&) = default;
};

inline constexpr std::uint16_t kFirstScanPort = 8000;
inline constexpr std::uint16_t kLastScanPort = 8040;

// HOST:PORT, [IPV6]:PORT, PORT (loopback), *:PORT (all interfaces), scan, unix:PATH, none.
// A relative unix path becomes absolute. The error names the value and the valid forms.
Result<Address> parse_address(std::string_view text);

// The inverse of parse_address().
std::string to_string(const Address& address);

// Whether only this machine can reach it: 127.x.x.x, ::1, localhost, scan, unix and none.
bool is_loopback(const Address& address);

// The value of dyper=: the address for DYPER documents.
struct DyperAddress {
  Address address;
  bool connect_out = false;
};

// listen:HOST:PORT, unix:PATH or connect:HOST:PORT. The error names the value and the valid forms.
Result<DyperAddress> parse_dyper_address(std::string_view text);

}  // namespace ddm
