// ddm bridge: presents the JVMs of this user as one Android device to adb and to tools that use adb.
//
// `adb connect 127.0.0.1:PORT` reaches it. Loopback only, and only processes of this user (or
// root's) get in: the same check as the agent's own.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <list>

#include "bridge/transport.h"
#include "command.h"
#include "output.h"
#include "wire/sockets/listener.h"
#include "wire/sockets/peer_check.h"

namespace ddm {
namespace {

// Far from the ports that adb searches for emulators (5555 to 5585) and those of ddmlib (8600 on).
constexpr std::uint16_t kDefaultPort = 7100;
// A killed program leaves its discovery file behind.
constexpr std::chrono::seconds kRefreshInterval{1};
// ddmlib waits as long before it opens a program again by itself.
constexpr std::chrono::milliseconds kRepeatAfter{1500};
constexpr std::size_t kMaxTransports = 16;
constexpr std::chrono::milliseconds kNoDescriptorsPause{100};

struct BridgeOptions {
  std::uint16_t port = kDefaultPort;
};

class Bridge {
 public:
  static Result<Bridge> open(std::uint16_t port);  // 0: any free one

  const Address& address() const { return listener_.bound(); }

  // Runs until poll() fails, which does not happen.
  Error run();

 private:
  explicit Bridge(Listener listener) : listener_(std::move(listener)) {}
  void turn(const std::vector<pollfd>& polled);
  int poll_time() const;
  void accept_all();

  Listener listener_;
  // Streams keep a reference, so it does not move.
  std::unique_ptr<TargetWatch> targets_ = std::make_unique<TargetWatch>();
  std::unique_ptr<Services> services_ = std::make_unique<Services>(*targets_);
  std::list<Transport> transports_;
  Transport::Clock::time_point next_refresh_;
  Transport::Clock::time_point accept_again_;  // after running out of descriptors
  Transport::Clock::time_point repeat_at_ = Transport::Clock::time_point::max();
};

Result<Bridge> Bridge::open(std::uint16_t port) {
  auto listener = Listener::open({Address::Kind::kTcp, "127.0.0.1", port, ""});
  if (!listener) return listener.error();
  return Bridge(std::move(*listener));
}

Error Bridge::run() {
  for (;;) {
    // poll() skips a negative descriptor.
    const bool accepting = Transport::Clock::now() >= accept_again_;
    std::vector<pollfd> polled{{accepting ? listener_.fd() : -1, POLLIN, 0},
                               {targets_->fd(), POLLIN, 0}};
    for (const Transport& transport : transports_) transport.add_polled(polled);
    if (poll(polled.data(), polled.size(), poll_time()) < 0 && errno != EINTR) {
      return errno_error("poll");
    }
    turn(polled);
  }
}

int Bridge::poll_time() const {
  const auto now = Transport::Clock::now();
  auto next = std::min(next_refresh_, repeat_at_);
  if (accept_again_ > now) next = std::min(next, accept_again_);
  const auto until = next - now;
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(until).count() + 1;
  return static_cast<int>(std::clamp<std::int64_t>(millis, 0, 1000));
}

void Bridge::turn(const std::vector<pollfd>& polled) {
  const auto now = Transport::Clock::now();
  if (polled[1].revents != 0 || now >= next_refresh_) {
    targets_->refresh();
    next_refresh_ = now + kRefreshInterval;
  }
  if (now >= repeat_at_) {
    targets_->repeat();
    repeat_at_ = Transport::Clock::time_point::max();
  }
  const pollfd* next = polled.data() + 2;
  for (auto at = transports_.begin(); at != transports_.end();) {
    const bool alive = at->on_ready(next) && at->pump() && now < at->deadline();
    if (alive) {
      ++at;
      continue;
    }
    print(at->problem().empty() ? "adb has gone\n" : "adb is cut off: " + at->problem() + "\n");
    at = transports_.erase(at);
  }
  if (services_->take_lost_connection()) repeat_at_ = now + kRepeatAfter;
  if (polled[0].revents != 0) accept_all();
  output_complete();
}

void Bridge::accept_all() {
  for (;;) {
    FileDescriptor socket(accept4(listener_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.valid()) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        // The connection stays in the backlog; accepting again at once would only use CPU.
        accept_again_ = Transport::Clock::now() + kNoDescriptorsPause;
      }
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;
    }
    if (const auto stranger = check_peer(socket.get(), Access::kUser)) {
      print("a connection is refused: " + stranger->message + "\n");
      continue;
    }
    if (transports_.size() >= kMaxTransports) continue;
    const int on = 1;
    (void)setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    print("adb is connected\n");
    transports_.emplace_back(std::move(socket), *services_);
  }
}

int bridge(const BridgeOptions& options) {
  auto opened = Bridge::open(options.port);
  if (!opened) return refuse(opened.message());
  print("listening; now run: adb connect {}\n", to_string(opened->address()));
  if (!output_complete()) return kExitRefused;
  return refuse(opened->run().message);
}

}  // namespace

void add_bridge(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "bridge", "Present the JVMs to adb as one Android device", bridge);
  add_number(command, "--port", options.port, "Port on 127.0.0.1; 0 = any free one", 0, 65535,
             "PORT");
}

}  // namespace ddm
