#include "serve/http_request.h"

#include <http_parser.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "hex.h"

namespace ddm {
namespace {

constexpr int kBadRequest = 400, kBodyTooLarge = 413, kHeadTooLarge = 431;

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

std::string HttpRequest::parameter(std::string_view name) const {
  const auto found = query.find(name);
  return found == query.end() ? "" : found->second;
}

struct HttpRequestReader::Parsing {
  Parsing() {
    http_parser_init(&parser, HTTP_REQUEST);
    parser.data = this;
    http_parser_settings_init(&settings);
    settings.on_url = [](http_parser* at, const char* text, std::size_t size) {
      of(at).url.append(text, size);
      return 0;
    };
    settings.on_header_field = [](http_parser* at, const char* text, std::size_t size) {
      of(at).header_name({text, size});
      return 0;
    };
    settings.on_header_value = [](http_parser* at, const char* text, std::size_t size) {
      of(at).value.append(text, size);
      of(at).in_value = true;
      return 0;
    };
    settings.on_headers_complete = [](http_parser* at) {
      of(at).head_ends();
      return 1;  // bodies are not read
    };
  }

  static Parsing& of(http_parser* at) { return *static_cast<Parsing*>(at->data); }

  void header_name(std::string_view piece) {
    if (in_value) keep_header();
    for (const char c : piece) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }

  // These three headers must be unique: of two it is unclear which one counts.
  void keep_header() {
    std::optional<std::string>* place = name == "host"            ? &request.host
                                        : name == "origin"        ? &request.origin
                                        : name == "authorization" ? &request.authorization
                                                                  : nullptr;
    if (place != nullptr) {
      if (place->has_value()) error_status = kBadRequest;
      *place = value;
    }
    name.clear();
    value.clear();
    in_value = false;
  }

  void head_ends() {
    if (in_value) keep_header();
    done = true;
    constexpr auto kNoLength = std::numeric_limits<std::uint64_t>::max();
    const bool has_body = (parser.flags & F_CHUNKED) != 0 ||
                          (parser.content_length != 0 && parser.content_length != kNoLength);
    if (has_body) error_status = kBodyTooLarge;
    request.method = http_method_str(static_cast<http_method>(parser.method));
    http_parser_url parts;
    http_parser_url_init(&parts);
    if (http_parser_parse_url(url.data(), url.size(), 0, &parts) != 0 ||
        (parts.field_set & (1 << UF_HOST)) != 0) {
      error_status = kBadRequest;
      return;
    }
    const auto part = [&](http_parser_url_fields field) {
      const auto& at = parts.field_data[field];
      return (parts.field_set & (1 << field)) == 0 ? std::string_view()
                                                   : std::string_view(url).substr(at.off, at.len);
    };
    const auto path = decoded_url(part(UF_PATH));
    if (!path || !read_query(part(UF_QUERY), request)) {
      error_status = kBadRequest;
      return;
    }
    request.path = *path;
  }

  http_parser parser;
  http_parser_settings settings;
  std::string url, name, value;
  bool in_value = false;
  HttpRequest request;
  std::size_t bytes = 0;
  bool done = false;
  int error_status = 0;
};

HttpRequestReader::HttpRequestReader() : parsing_(std::make_unique<Parsing>()) {}
HttpRequestReader::~HttpRequestReader() = default;

bool HttpRequestReader::feed(std::string_view bytes) {
  Parsing& parsing = *parsing_;
  const std::size_t room = kMaxBytes - std::min(kMaxBytes, parsing.bytes);
  const std::string_view within = bytes.substr(0, room);
  parsing.bytes += bytes.size();
  http_parser_execute(&parsing.parser, &parsing.settings, within.data(), within.size());
  if (parsing.done) return true;
  const http_errno error = HTTP_PARSER_ERRNO(&parsing.parser);
  if (error != HPE_OK) {
    parsing.error_status = error == HPE_HEADER_OVERFLOW ? kHeadTooLarge : kBadRequest;
  } else if (parsing.bytes >= kMaxBytes) {
    parsing.error_status = kHeadTooLarge;
  }
  return parsing.error_status != 0;
}

int HttpRequestReader::error_status() const { return parsing_->error_status; }
const HttpRequest& HttpRequestReader::request() const { return parsing_->request; }

}  // namespace ddm
