#include "serve/http_server.h"

#include <fmt/format.h>
#include <http_parser.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <exception>
#include <list>
#include <system_error>
#include <thread>

namespace ddm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kRequestTime{10};   // for a head to arrive
constexpr std::chrono::seconds kSendTime{60};      // until a client reads on
constexpr std::chrono::minutes kMostSendTime{30};  // for a response to be read
constexpr std::chrono::seconds kLingerTime{1};     // to read data that a client still sends
constexpr int kPollMillis = 200;

// Waits for these events; false: `deadline` has passed, or the server ends.
bool ready(int fd, short events, Clock::time_point deadline, const std::function<bool()>& ended) {
  while (!ended() && Clock::now() < deadline) {
    pollfd polled{fd, events, 0};
    if (poll(&polled, 1, kPollMillis) > 0) return true;
  }
  return false;
}

// Received bytes, up to a full buffer; "" when no more will come.
std::string_view receive(int fd, std::array<char, 4096>& buffer, Clock::time_point deadline,
                         const std::function<bool()>& ended) {
  while (ready(fd, POLLIN, deadline, ended)) {
    const ssize_t size = recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size > 0) return {buffer.data(), static_cast<std::size_t>(size)};
    if (size == 0 || (errno != EINTR && errno != EAGAIN)) break;
  }
  return {};
}

bool send_all(int fd, std::string_view bytes, Clock::time_point deadline,
              const std::function<bool()>& ended) {
  while (!bytes.empty()) {
    if (!ready(fd, POLLOUT, std::min(deadline, Clock::now() + kSendTime), ended)) return false;
    const ssize_t size = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (size > 0) bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

// "Not Found"
const char* reason_phrase(int status) { return http_status_str(static_cast<http_status>(status)); }

std::string head_of(const HttpResponse& response) {
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n",
      response.status, reason_phrase(response.status), response.type, response.body.size());
  for (const auto& [name, value] : response.headers) head += fmt::format("{}: {}\r\n", name, value);
  return head + "\r\n";
}

bool peer_closed(int fd) {
  pollfd polled{fd, POLLRDHUP, 0};
  return poll(&polled, 1, 0) > 0;
}

// Lingering close: a connection closed with unread bytes is reset, and the response lost.
void linger(int fd, const std::function<bool()>& ended) {
  shutdown(fd, SHUT_WR);
  std::array<char, 4096> buffer;
  const auto deadline = Clock::now() + kLingerTime;
  while (!receive(fd, buffer, deadline, ended).empty()) {
  }
}

struct Connection {
  explicit Connection(FileDescriptor fd) : socket(std::move(fd)) {}
  FileDescriptor socket;
  std::atomic<bool> done = false;
  std::thread thread;
};

}  // namespace

HttpResponse http_error(int status, std::string_view sentence) {
  return {.status = status, .body = fmt::format("{}\n", sentence)};
}

void HttpServer::serve(int fd, const std::function<bool()>& ended) const {
  HttpRequestReader reader;
  std::array<char, 4096> buffer;
  const auto deadline = Clock::now() + kRequestTime;
  for (bool whole = false; !whole;) {
    const std::string_view bytes = receive(fd, buffer, deadline, ended);
    if (bytes.empty()) return;
    whole = reader.feed(bytes);
  }
  HttpResponse response;
  const HttpRequest& request = reader.request();
  if (reader.error_status() != 0) {
    response = http_error(reader.error_status(), reason_phrase(reader.error_status()));
  } else {
    try {
      response = handler_(request, [&] { return ended() || peer_closed(fd); });
    } catch (const std::exception& failure) {  // no memory, in practice
      response = http_error(500, failure.what());
    }
  }
  const auto until = Clock::now() + kMostSendTime;
  if (send_all(fd, head_of(response), until, ended) &&
      (request.method == "HEAD" || send_all(fd, response.body, until, ended))) {
    linger(fd, ended);
  }
}

void HttpServer::run(const std::function<bool()>& ended) {
  std::list<Connection> connections;
  while (!ended()) {
    connections.remove_if([](Connection& connection) {
      if (!connection.done) return false;
      connection.thread.join();
      return true;
    });
    // A connection that is not accepted waits in the kernel's backlog.
    const bool full = connections.size() >= kMaxConnections;
    pollfd polled{full ? -1 : listener_.fd(), POLLIN, 0};
    if (poll(&polled, 1, full ? 20 : kPollMillis) <= 0) continue;
    FileDescriptor socket(accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.valid()) {  // no descriptors: accepting again at once would only use CPU
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    if (check_peer(socket.get(), access_)) continue;
    Connection& connection = connections.emplace_back(std::move(socket));
    try {
      connection.thread = std::thread([this, &connection, &ended] {
        serve(connection.socket.get(), ended);
        connection.socket.reset();
        connection.done = true;
      });
    } catch (const std::system_error&) {  // no thread available: the connection is closed
      connections.pop_back();
    }
  }
  for (Connection& connection : connections) connection.thread.join();
}

}  // namespace ddm
