// What access=user can and cannot let in at an address, before anybody connects.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "wire/sessions/server_options.h"

namespace ddm {

using Log = std::function<void(Severity, const std::string&)>;

// Tells of a peer that was not let in.
using TellStranger = std::function<void(const std::string&)>;
// The first is news; more of them would let strangers fill the program's stderr.
TellStranger warn_of_first_stranger(Log log);

// Warns where everybody, or nobody, is let in. The error: no connection to there could be checked.
std::optional<Error> check_access(const Address& address, bool connect_out, Access access,
                                  const Log& log);

// "127.0.0.1:40123", "a local process".
std::string peer_name(int fd);

// Small packets at once; and a peer whose machine is gone is noticed some day.
void tune_socket(int fd);

}  // namespace ddm
