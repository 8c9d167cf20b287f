// A request as it comes over HTTP, as far as `ddm serve` answers any: a head without a body.
//
// What is parsed is parsed by http_parser; here are the bounds. Pure. Bytes may be hostile.
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
  std::map<std::string, std::string, std::less<>> query;  // decoded; of two of a name the first
  std::optional<std::string> host, origin, authorization;

  // "" where it is not there.
  std::string parameter(std::string_view name) const;
};

// Takes the bytes of a connection until one request is there.
class HttpRequestReader {
 public:
  static constexpr std::size_t kMostBytes = 16 << 10;  // of a whole head

  HttpRequestReader();
  ~HttpRequestReader();
  HttpRequestReader(const HttpRequestReader&) = delete;
  HttpRequestReader& operator=(const HttpRequestReader&) = delete;

  // True: nothing more is needed, either because of the request or because of what is wrong with it.
  bool take(std::string_view bytes);

  // What a bad one is answered with: 400, 413 or 431; 0: nothing is wrong.
  int fault() const;
  const HttpRequest& request() const;

 private:
  struct Parsing;
  std::unique_ptr<Parsing> parsing_;
};

// "%41b+c" -> "Ab c". None: a '%' without two digits, or a NUL.
std::optional<std::string> decoded_url(std::string_view text);

}  // namespace ddm
