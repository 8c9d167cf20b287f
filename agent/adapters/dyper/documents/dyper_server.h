// The agent's end of DYPER's connections: listens, or connects out again and again, on an I/O
// thread of its own that never waits for a peer, a command or another thread. Who may connect is
// decided as for DDM servers.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "adapters/dyper/documents/dyper_peer.h"
#include "wire/sessions/access_rules.h"
#include "wire/sessions/connector.h"
#include "wire/sockets/listener.h"

namespace ddm {

class DyperServer {
 public:
  struct Settings {
    Address address;
    bool connect_out = false;
    Access access = Access::kUser;
    std::string greeting;  // framed; to every peer first
    // On the I/O thread; must not wait. Ends in one peer->answer(), from any thread.
    std::function<void(const DyperPeerPtr& peer, std::string document)> on_document;
    Log log;  // any thread
  };

  // The error is one sentence for people. What the settings call outlives the server.
  static Result<std::unique_ptr<DyperServer>> start(Settings settings);
  ~DyperServer();
  DyperServer(const DyperServer&) = delete;
  DyperServer& operator=(const DyperServer&) = delete;

  // With the port that it really got.
  const Address& bound_address() const { return bound_; }

  // To all that are connected and read what they are sent.
  void broadcast(std::string_view framed);
  bool has_peers() const;

  // Sends `farewell` (framed) and what else the sockets take at once, then ends all. A second call
  // does nothing.
  void stop(std::string_view farewell);

 private:
  using Clock = DyperPeer::Clock;
  static constexpr std::size_t kMostPeers = 16;

  DyperServer(Settings settings, std::shared_ptr<Waker> waker)
      : settings_(std::move(settings)), waker_(std::move(waker)) {}
  void run();
  void turn();
  std::vector<DyperPeerPtr> peers() const;
  Clock::time_point next_deadline() const;
  bool serve(const DyperPeerPtr& peer, short events);
  void accept_all();
  void connect_out(bool ready);
  void add(FileDescriptor socket, bool checked);
  void end(const DyperPeerPtr& peer);
  void log(Severity severity, const std::string& text) const;

  const Settings settings_;
  const std::shared_ptr<Waker> waker_;
  Address bound_;
  std::optional<Listener> listener_;
  std::optional<Connector> connector_;
  std::thread thread_;
  std::atomic<bool> stopping_{false};

  mutable std::mutex mutex_;  // guards peers_ against readers; the thread alone changes it
  std::vector<DyperPeerPtr> peers_;
  bool warned_of_strangers_ = false;
  Clock::time_point accept_again_{};  // after running out of descriptors
};

}  // namespace ddm
