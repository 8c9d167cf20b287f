#include "serve/serve_access.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "core/file_descriptor.h"
#include "core/random_number.h"
#include "hex.h"
#include "wire/sockets/owned_file.h"

namespace ddm {
namespace {

constexpr std::size_t kShortestToken = 16, kLongestToken = 256;
constexpr std::string_view kBearer = "bearer ";

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char left, char right) {
    return std::tolower(static_cast<unsigned char>(left)) ==
           std::tolower(static_cast<unsigned char>(right));
  });
}

// The time does not reveal where the texts differ.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return different == 0;
}

std::string_view token_of(const HttpRequest& request) {
  if (request.authorization) {
    // Without "Bearer": Prometheus' discovery leaves the scheme out (its issue 12762).
    std::string_view value = *request.authorization;
    if (equal_ignoring_case(value.substr(0, kBearer.size()), kBearer)) {
      value.remove_prefix(kBearer.size());
    }
    return value;
  }
  const auto given = request.query.find("token");
  return given == request.query.end() ? std::string_view() : given->second;
}

Result<std::string> create_token(const std::string& path) {
  auto token = new_token();
  if (!token) return token;
  const FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.valid()) return errno_error("cannot create " + path);
  if (const int error = write_all(file.get(), *token + "\n")) {
    return Error{"cannot write " + path + ": " + errno_text(error)};
  }
  return token;
}

}  // namespace

ServeAccess::ServeAccess(std::string token, const Address& bound)
    : token_(std::move(token)), bound_(bound) {}

bool ServeAccess::is_own_host(std::string_view host) const {
  const std::string port = fmt::format(":{}", bound_.port);
  const auto names = {to_string(bound_), "127.0.0.1" + port, "localhost" + port, "[::1]" + port};
  return std::ranges::any_of(names, [&](const std::string& name) {
    // Clients omit HTTP's default port.
    const bool usual = bound_.port == 80 && name.ends_with(port);
    return equal_ignoring_case(host, name) ||
           (usual && equal_ignoring_case(host, name.substr(0, name.size() - port.size())));
  });
}

std::optional<HttpResponse> ServeAccess::refusal(const HttpRequest& request) const {
  constexpr std::string_view kScheme = "http://";
  if (!request.host || !is_own_host(*request.host)) {
    return http_error(403, "this server is asked by its own address only: " + to_string(bound_));
  }
  if (request.origin) {
    const std::string_view origin = *request.origin;
    if (!origin.starts_with(kScheme) || !is_own_host(origin.substr(kScheme.size()))) {
      return http_error(403, "pages of other sites are not answered");
    }
  }
  if (!equal_in_constant_time(token_of(request), token_)) {
    HttpResponse response = http_error(
        401,
        "the token is missing or wrong: ?token=TOKEN, or the header Authorization: Bearer "
        "TOKEN; `ddm serve` prints it");
    response.headers = {{"WWW-Authenticate", "Bearer"}};
    return response;
  }
  return {};
}

std::string ServeAccess::url() const {
  return fmt::format("http://{}/?token={}", to_string(bound_), token_);
}

Result<std::string> new_token() {
  const auto bytes = random_bytes<16>();
  if (!bytes) return errno_error("no random numbers for a token");
  return to_hex(*bytes);
}

Result<std::string> read_or_create_token(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return create_token(path);
    return errno_error("cannot read " + path);
  }
  if (status.st_uid != geteuid() || (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return Error{path + " may be read by others: it must be yours, with mode 0600"};
  }
  auto text = read_owned_file(path, geteuid(), kLongestToken + 2);
  if (!text) return Error{path + " cannot be read as a regular file of yours"};
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  const bool plain = std::ranges::all_of(*text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-._~").find(c) != std::string_view::npos;
  });
  if (!plain || text->size() < kShortestToken || text->size() > kLongestToken) {
    return Error{fmt::format("{} is not a token: {} to {} letters, digits, '-', '.', '_', '~'",
                             path, kShortestToken, kLongestToken)};
  }
  return *text;
}

}  // namespace ddm
