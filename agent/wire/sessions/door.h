// Where connections of one kind come from, and those that have come: an address that is listened at,
// or connected to again and again. It lets in whom `access` allows, and no more than the limits.
//
// bound() and peers() on any thread; the rest on the I/O thread, where nothing waits.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/waker.h"
#include "wire/sessions/access_rules.h"
#include "wire/sessions/connector.h"
#include "wire/sessions/peer.h"
#include "wire/sockets/listener.h"

namespace ddm {

struct DoorSettings {
  Address address;
  bool connect_out = false;
  Access access = Access::kUser;
  std::string what = "connection";  // as people are told of it
  std::size_t max_peers = 64;
  // Of what all peers make us hold, the one that has burdened us for the longest time is ended.
  std::size_t max_memory = std::numeric_limits<std::size_t>::max();
  std::size_t max_stored = std::numeric_limits<std::size_t>::max();
  // `checked`: the peer has been let in. Of a connection that we made it is not known before the
  // other process has accepted it, since nobody owns the far end until then.
  std::function<PeerPtr(FileDescriptor socket, std::string name, bool checked)> meet;
  Log log;                   // any thread
  TellStranger of_stranger;  // who was not let in
};

class Door {
 public:
  // The error is one sentence for people: which address could not be had, and what to do.
  // `waker`: the I/O loop's.
  static Result<std::shared_ptr<Door>> open(DoorSettings settings, std::shared_ptr<Waker> waker);

  // Where it listens, with the port that it really got; what it connects to.
  const Address& bound() const { return bound_; }
  std::vector<PeerPtr> peers() const;

  // What is to be polled for, and until when.
  void add_polled(std::vector<pollfd>& polled);
  Clock::time_point deadline() const;
  // `polled`: what add_polled() has put there, as poll() has left it.
  void turn(const pollfd* polled, Clock::time_point now);
  void close();

 private:
  Door(DoorSettings settings, Address bound)
      : settings_(std::move(settings)), bound_(std::move(bound)) {}
  void accept_all();
  void connect_out(bool ready);
  void add(FileDescriptor socket, bool checked);
  // Ends peers until what they hold together is within the limits.
  void shed();
  void end(const PeerPtr& peer);
  void log(Severity severity, const std::string& text) const;

  const DoorSettings settings_;
  Address bound_;
  std::optional<Listener> listener_;
  std::optional<Connector> connector_;

  mutable std::mutex mutex_;  // guards peers_ against readers; the I/O thread alone changes it
  std::vector<PeerPtr> peers_;

  std::vector<PeerPtr> served_;       // those whose turn it is
  Clock::time_point accept_again_{};  // after running out of descriptors
};

}  // namespace ddm
