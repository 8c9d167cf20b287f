// An HTTP request without a body, which is all that `ddm serve` accepts.
//
// http_parser does the parsing; this adds the bounds. Pure. The bytes may be hostile.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ddm {

struct HttpRequest {
  std::string method;                                     // "GET"
  std::string path;                                       // decoded
  std::map<std::string, std::string, std::less<>> query;  // decoded; the first value of each name
  std::optional<std::string> host, origin, authorization;

  // "": missing.
  std::string parameter(std::string_view name) const;
};

// Collects the bytes of a connection until one request is complete.
class HttpRequestReader {
 public:
  static constexpr std::size_t kMaxBytes = 16 << 10;  // of a whole head

  HttpRequestReader();
  ~HttpRequestReader();

  // True: the request is complete, or known to be bad.
  bool feed(std::string_view bytes);

  // The status for a bad request: 400, 413 or 431; 0: it is not bad.
  int error_status() const;
  const HttpRequest& request() const;

 private:
  struct Parsing;
  std::unique_ptr<Parsing> parsing_;
};

// "%41b+c" -> "Ab c". None: a '%' without two digits, or a NUL.
std::optional<std::string> decoded_url(std::string_view text);

}  // namespace ddm
