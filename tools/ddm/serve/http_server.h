// A small HTTP server for this machine: one request a connection, each on a thread of its own, who
// asks is looked up before a byte of it is read.
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

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// A status that is no success, and a sentence.
HttpAnswer http_refusal(int status, std::string_view sentence);

class HttpServer {
 public:
  // Whether an answer is no longer wanted: the client has gone, or the server ends.
  using GivenUp = std::function<bool()>;
  using Handler = std::function<HttpAnswer(const HttpRequest&, const GivenUp&)>;

  static constexpr std::size_t kMostConnections = 16;

  HttpServer(Listener listener, Access access, Handler handler)
      : listener_(std::move(listener)), access_(access), handler_(std::move(handler)) {}

  const Address& address() const { return listener_.bound(); }

  // Until `ended`, which is asked several times a second; it returns when nobody is answered any more.
  void run(const std::function<bool()>& ended);

 private:
  void answer(int fd, const std::function<bool()>& ended) const;

  Listener listener_;
  const Access access_;
  const Handler handler_;
};

}  // namespace ddm
