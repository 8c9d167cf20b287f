#include "serve/http_server.h"

#include <fmt/format.h>
#include <http_parser.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <exception>
#include <list>
#include <memory>
#include <system_error>
#include <thread>

namespace ddm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kRequestTime{10};  // for a head to arrive
constexpr std::chrono::seconds kTimeToTakeIt{60};   // for an answer to be taken
constexpr std::chrono::seconds kLeaveTime{1};     // for what else a client sends
constexpr int kPollMillis = 200;

// Waits for this; false: not until `deadline`.
bool ready(int fd, short what, Clock::time_point deadline, const std::function<bool()>& ended) {
  while (!ended() && Clock::now() < deadline) {
    pollfd polled{fd, what, 0};
    if (poll(&polled, 1, kPollMillis) > 0) return true;
  }
  return false;
}

// What came, up to a buffer full; "" when nothing will.
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
    if (!ready(fd, POLLOUT, deadline, ended)) return false;
    const ssize_t size = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (size > 0) bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

// "Not Found"
const char* words_of(int status) { return http_status_str(static_cast<http_status>(status)); }

std::string head_of(const HttpAnswer& answer) {
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n",
      answer.status, words_of(answer.status), answer.type, answer.body.size());
  for (const auto& [name, value] : answer.headers) head += fmt::format("{}: {}\r\n", name, value);
  return head + "\r\n";
}

bool has_left(int fd) {
  pollfd polled{fd, POLLRDHUP, 0};
  return poll(&polled, 1, 0) > 0;
}

// A connection that is closed with bytes unread is reset, and the answer lost with it.
void leave(int fd, const std::function<bool()>& ended) {
  shutdown(fd, SHUT_WR);
  std::array<char, 4096> buffer;
  const auto deadline = Clock::now() + kLeaveTime;
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

HttpAnswer http_refusal(int status, std::string_view sentence) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = fmt::format("{}\n", sentence);
  return answer;
}

void HttpServer::answer(int fd, const std::function<bool()>& ended) const {
  HttpRequestReader reader;
  std::array<char, 4096> buffer;
  const auto deadline = Clock::now() + kRequestTime;
  for (bool whole = false; !whole;) {
    const std::string_view bytes = receive(fd, buffer, deadline, ended);
    if (bytes.empty()) return;
    whole = reader.take(bytes);
  }
  HttpAnswer answer;
  const HttpRequest& request = reader.request();
  if (reader.fault() != 0) {
    answer = http_refusal(reader.fault(), words_of(reader.fault()));
  } else {
    try {
      answer = handler_(request, [&] { return ended() || has_left(fd); });
    } catch (const std::exception& failure) {  // no memory, in practice
      answer = http_refusal(500, failure.what());
    }
  }
  const auto until = Clock::now() + kTimeToTakeIt;
  if (send_all(fd, head_of(answer), until, ended) &&
      (request.method == "HEAD" || send_all(fd, answer.body, until, ended))) {
    leave(fd, ended);
  }
}

void HttpServer::run(const std::function<bool()>& ended) {
  std::list<Connection> connections;
  while (!ended()) {
    connections.remove_if([](Connection& one) {
      if (!one.done) return false;
      one.thread.join();
      return true;
    });
    // One that is not accepted waits in the kernel's queue.
    const bool full = connections.size() >= kMostConnections;
    pollfd polled{full ? -1 : listener_.fd(), POLLIN, 0};
    if (poll(&polled, 1, full ? 20 : kPollMillis) <= 0) continue;
    FileDescriptor socket(accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.valid()) {  // no descriptors: asking again at once would only burn time
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    if (check_peer(socket.get(), access_)) continue;
    Connection& one = connections.emplace_back(std::move(socket));
    try {
      one.thread = std::thread([this, &one, &ended] {
        answer(one.socket.get(), ended);
        one.socket.reset();
        one.done = true;
      });
    } catch (const std::system_error&) {  // no thread to be had: as if nobody had come
      connections.pop_back();
    }
  }
  for (Connection& one : connections) one.thread.join();
}

}  // namespace ddm
