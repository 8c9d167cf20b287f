#include "wire/sockets/dyper_address.h"

#include <string>

namespace ddm {

Result<DyperAddress> parse_dyper_address(std::string_view text) {
  constexpr std::string_view kListen = "listen:", kConnect = "connect:", kUnix = "unix:";
  const Error wrong{"\"" + std::string(text) +
                    "\" is not listen:HOST:PORT, unix:PATH or connect:HOST:PORT"};
  std::string_view rest = text;
  const bool connect_out = rest.starts_with(kConnect);
  if (connect_out) {
    rest.remove_prefix(kConnect.size());
  } else if (rest.starts_with(kListen)) {
    rest.remove_prefix(kListen.size());
  } else if (!rest.starts_with(kUnix)) {
    return wrong;
  }
  const auto address = parse_address(rest);
  if (!address) return wrong;
  const bool tcp = address->kind == Address::Kind::kTcp && (address->port != 0 || !connect_out);
  if (!tcp && address->kind != Address::Kind::kUnix) return wrong;
  return DyperAddress{*address, connect_out};
}

}  // namespace ddm
