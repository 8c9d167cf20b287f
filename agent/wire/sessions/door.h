// A source of connections of one kind and the connections themselves: an address that the agent
// listens at, or connects out to repeatedly. Admits the peers that `access` allows, within the
// limits.
//
// bound() and peers() on any thread; the rest on the I/O thread, where nothing blocks.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/waker.h"
#include "wire/sessions/connector.h"
#include "wire/sessions/peer.h"
#include "wire/sessions/server_options.h"
#include "wire/sockets/listener.h"

namespace ddm {

// Logs the first refused peer as a warning, later ones at info: strangers must not flood stderr.
OnRefusedPeer warn_of_first_refusal(Log log);

struct DoorSettings {
  Address address;
  bool connect_out = false;
  Access access = Access::kUser;
  std::string what = "connection";  // the noun for log messages
  std::size_t max_peers = 64;
  // Limits for all peers together; beyond them the peer that has been a burden longest is dropped.
  std::size_t max_memory = std::numeric_limits<std::size_t>::max();
  std::size_t max_stored = std::numeric_limits<std::size_t>::max();
  // `checked`: the peer was accepted. For an outgoing connection that is unknown until the other
  // process has accepted it, since the far end has no owner before.
  std::function<PeerPtr(FileDescriptor socket, std::string name, bool checked)> make_peer;
  Log log;                        // any thread
  OnRefusedPeer on_refused_peer;  // reports refused peers
};

class Door {
 public:
  // The error is one sentence for people: which address could not be bound, and what to do.
  // `waker`: the I/O loop's.
  static Result<std::shared_ptr<Door>> open(DoorSettings settings, std::shared_ptr<Waker> waker);

  // The address it listens at, with the actual port, or connects to.
  const Address& bound() const { return bound_; }
  std::vector<PeerPtr> peers() const;

  // Descriptors to poll, and the deadline.
  void add_polled(std::vector<pollfd>& polled);
  Clock::time_point deadline() const;
  // `polled`: the entries that add_polled() appended, after poll().
  void turn(const pollfd* polled, Clock::time_point now);
  void close();

 private:
  Door(DoorSettings settings, Address bound)
      : settings_(std::move(settings)), bound_(std::move(bound)) {}
  void accept_all();
  void connect_out(bool ready);
  void add(FileDescriptor socket, bool checked);
  // Drops peers until the limits hold.
  void shed();
  void end(const PeerPtr& peer);
  void log(LogLevel severity, const std::string& text) const;

  const DoorSettings settings_;
  Address bound_;
  std::optional<Listener> listener_;
  std::optional<Connector> connector_;

  mutable std::mutex mutex_;  // guards peers_, which only the I/O thread changes
  std::vector<PeerPtr> peers_;

  std::vector<PeerPtr> served_;       // the peers of this turn
  Clock::time_point accept_again_{};  // after EMFILE and the like
};

}  // namespace ddm
