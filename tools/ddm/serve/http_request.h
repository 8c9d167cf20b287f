// An HTTP request without a body, which is all that `ddm serve` accepts.
//
// http_parser does the parsing; this adds the bounds. Pure. The bytes may be hostile.
#pragma once

#include <http_parser.h>

#include <map>
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
  HttpRequestReader(const HttpRequestReader&) = delete;
  HttpRequestReader& operator=(const HttpRequestReader&) = delete;

  // True: the request is complete, or known to be bad.
  bool feed(std::string_view bytes);

  // The status for a bad request: 400, 413 or 431; 0: it is not bad.
  int error_status() const { return error_status_; }
  const HttpRequest& request() const { return request_; }

 private:
  static HttpRequestReader& of(http_parser* at) {
    return *static_cast<HttpRequestReader*>(at->data);
  }
  void header_name(std::string_view piece);
  void keep_header();
  void head_ends();

  http_parser parser_;
  http_parser_settings settings_;
  std::string url_, name_, value_;
  bool in_value_ = false;
  HttpRequest request_;
  std::size_t bytes_ = 0;
  bool done_ = false;
  int error_status_ = 0;
};

}  // namespace ddm
