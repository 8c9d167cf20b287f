// A small HTTP server for this machine: one request a connection, each on its own thread; the
// peer's user is checked before a byte is read.
//
// run() is for one thread; the handler is called on several at once.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "serve/http_request.h"
#include "wire/sockets/listener.h"
#include "wire/sockets/peer_check.h"

namespace ddm {

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// An error status, and a sentence.
HttpResponse http_error(int status, std::string_view sentence);

class HttpServer {
 public:
  // Whether the answer is no longer wanted: the client has closed, or the server ends.
  using Cancelled = std::function<bool()>;
  using Handler = std::function<HttpResponse(const HttpRequest&, const Cancelled&)>;

  static constexpr std::size_t kMaxConnections = 16;

  HttpServer(Listener listener, Access access, Handler handler)
      : listener_(std::move(listener)), access_(access), handler_(std::move(handler)) {}

  // Serves until `ended`, which is called several times a second, and returns after the last
  // answer.
  void run(const std::function<bool()>& ended);

 private:
  void serve(int fd, const std::function<bool()>& ended) const;

  Listener listener_;
  const Access access_;
  const Handler handler_;
};

}  // namespace ddm
