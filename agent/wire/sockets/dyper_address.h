// The value of dyper=: the address for DYPER documents. Pure.
#pragma once

#include <string_view>

#include "wire/sockets/address.h"

namespace ddm {

struct DyperAddress {
  Address address;
  bool connect_out = false;
};

// listen:HOST:PORT, unix:PATH or connect:HOST:PORT. The error names the value and the valid forms.
Result<DyperAddress> parse_dyper_address(std::string_view text);

}  // namespace ddm
