// Who may be answered by `ddm serve`: who knows the token, and no page of another site that a browser
// of this machine shows.
//
// A browser sends what any page makes it send. So a request must name this server as its Host (a name
// that somebody else's DNS has pointed here is refused), and if it has an Origin, this one.
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

  // Nothing: welcome. 403: another Host or Origin; 401: no token, or a wrong one.
  std::optional<HttpAnswer> refusal(const HttpRequest& request) const;

  // "http://127.0.0.1:8040/?token=..."
  std::string url() const;

 private:
  bool is_us(std::string_view host) const;

  const std::string token_;
  const Address bound_;
};

// 128 random bits in hexadecimal.
Result<std::string> new_token();

// What stands in the file, which must be this user's alone; one that is not there is made (0600).
Result<std::string> token_in(const std::string& path);

}  // namespace ddm
