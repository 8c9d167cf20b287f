// Access control of `ddm serve`: clients that know the token, but no pages of other sites in a
// browser of this machine.
//
// Any page can make a browser send requests (CSRF). So the Host of a request must be this server,
// which also prevents DNS rebinding, and so must its Origin, if it has one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "serve/http_server.h"
#include "wire/sockets/address.h"

namespace ddm {

class ServeAccess {
 public:
  ServeAccess(std::string token, const Address& bound);

  // None: access is granted. 403: another Host or Origin; 401: no token, or a wrong one.
  std::optional<HttpResponse> refusal(const HttpRequest& request) const;

  // "http://127.0.0.1:8040/?token=..."
  std::string url() const;

 private:
  bool is_own_host(std::string_view host) const;

  const std::string token_;
  const Address bound_;
};

// 128 random bits in hexadecimal.
Result<std::string> new_token();

// The token in a file that only this user may read; a missing file is created (0600).
Result<std::string> read_or_create_token(const std::string& path);

}  // namespace ddm
