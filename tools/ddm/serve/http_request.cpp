#include "serve/http_request.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "hex.h"

namespace ddm {
namespace {

constexpr int kBadRequest = 400, kBodyTooLarge = 413, kHeadTooLarge = 431;

// "%41b+c" -> "Ab c". None: a '%' without two digits, or a NUL.
std::optional<std::string> decoded_url(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const auto byte = hex_byte(text.substr(i + 1));
      if (!byte || *byte == 0) return {};
      out += static_cast<char>(*byte);
      i += 2;
    }
  }
  return out;
}

// False: it is not decoded text.
bool read_query(std::string_view query, HttpRequest& request) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto name = decoded_url(pair.substr(0, equals));
    const auto value = decoded_url(pair.substr(std::min(equals + 1, pair.size())));
    if (!name || !value) return false;
    request.query.emplace(*name, *value);
  }
  return true;
}

}  // namespace

std::string HttpRequest::parameter(std::string_view name) const {
  const auto found = query.find(name);
  return found == query.end() ? "" : found->second;
}

HttpRequestReader::HttpRequestReader() {
  http_parser_init(&parser_, HTTP_REQUEST);
  parser_.data = this;
  http_parser_settings_init(&settings_);
  settings_.on_url = [](http_parser* at, const char* text, std::size_t size) {
    of(at).url_.append(text, size);
    return 0;
  };
  settings_.on_header_field = [](http_parser* at, const char* text, std::size_t size) {
    of(at).header_name({text, size});
    return 0;
  };
  settings_.on_header_value = [](http_parser* at, const char* text, std::size_t size) {
    of(at).value_.append(text, size);
    of(at).in_value_ = true;
    return 0;
  };
  settings_.on_headers_complete = [](http_parser* at) {
    of(at).head_ends();
    return 1;  // bodies are not read
  };
}

void HttpRequestReader::header_name(std::string_view piece) {
  if (in_value_) keep_header();
  for (const char c : piece) {
    name_ += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
}

// These three headers must be unique: of two it is unclear which one counts.
void HttpRequestReader::keep_header() {
  std::optional<std::string>* place = name_ == "host"            ? &request_.host
                                      : name_ == "origin"        ? &request_.origin
                                      : name_ == "authorization" ? &request_.authorization
                                                                 : nullptr;
  if (place != nullptr) {
    if (place->has_value()) error_status_ = kBadRequest;
    *place = value_;
  }
  name_.clear();
  value_.clear();
  in_value_ = false;
}

void HttpRequestReader::head_ends() {
  if (in_value_) keep_header();
  done_ = true;
  constexpr auto kNoLength = std::numeric_limits<std::uint64_t>::max();
  const bool has_body = (parser_.flags & F_CHUNKED) != 0 ||
                        (parser_.content_length != 0 && parser_.content_length != kNoLength);
  if (has_body) error_status_ = kBodyTooLarge;
  request_.method = http_method_str(static_cast<http_method>(parser_.method));
  http_parser_url parts;
  http_parser_url_init(&parts);
  if (http_parser_parse_url(url_.data(), url_.size(), 0, &parts) != 0 ||
      (parts.field_set & (1 << UF_HOST)) != 0) {
    error_status_ = kBadRequest;
    return;
  }
  const auto part = [&](http_parser_url_fields field) {
    const auto& at = parts.field_data[field];
    return (parts.field_set & (1 << field)) == 0 ? std::string_view()
                                                 : std::string_view(url_).substr(at.off, at.len);
  };
  const auto path = decoded_url(part(UF_PATH));
  if (!path || !read_query(part(UF_QUERY), request_)) {
    error_status_ = kBadRequest;
    return;
  }
  request_.path = *path;
}

bool HttpRequestReader::feed(std::string_view bytes) {
  const std::size_t room = kMaxBytes - std::min(kMaxBytes, bytes_);
  const std::string_view within = bytes.substr(0, room);
  bytes_ += bytes.size();
  http_parser_execute(&parser_, &settings_, within.data(), within.size());
  if (done_) return true;
  const http_errno error = HTTP_PARSER_ERRNO(&parser_);
  if (error != HPE_OK) {
    error_status_ = error == HPE_HEADER_OVERFLOW ? kHeadTooLarge : kBadRequest;
  } else if (bytes_ >= kMaxBytes) {
    error_status_ = kHeadTooLarge;
  }
  return error_status_ != 0;
}

}  // namespace ddm
