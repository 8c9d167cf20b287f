// The server's side of DDM, one connection: asks a VM and waits for its answers.
//
// For one thread. Events that come meanwhile are kept until somebody takes them. The VM may be
// hostile: every question has bounds, and what goes beyond them is an error that says so.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "containers/inside.h"
#include "core/file_descriptor.h"
#include "wire/chunks/packet.h"
#include "wire/sockets/address.h"

namespace ddm {

class DdmClient {
 public:
  // What one question may take until its answer is there.
  struct Bounds {
    std::chrono::seconds silence;  // between two bytes
    std::chrono::seconds time;     // in all
    std::size_t bytes;             // the answer and the events that come with it, unpacked too
  };
  static constexpr Bounds kShort{std::chrono::minutes(1), std::chrono::minutes(2),
                                 std::size_t{32} << 20};
  static constexpr Bounds kMuchData{std::chrono::minutes(1), std::chrono::hours(2),
                                    std::size_t{1} << 30};
  // What goes through the whole heap or all classes before the first byte comes.
  static constexpr Bounds kLongWork{std::chrono::minutes(30), std::chrono::hours(2),
                                    std::size_t{1} << 30};

  static constexpr std::chrono::seconds kConnectTime{5};

  // Connected, and the handshake is done.
  static Result<DdmClient> connect(const TargetAddress& address);

  // The answer to one chunk; type 0 = the empty answer. FAIL is an answer here.
  Result<Chunk> ask(Chunk request, const Bounds& bounds = kShort);

  // The same, but FAIL is an error with its message.
  Result<Chunk> request(Chunk request, const Bounds& bounds = kShort);

  // request(), decoded; an answer of another type or layout is an error.
  template <typename Answer>
  Result<Answer> get(Chunk question) {
    auto answer = request(std::move(question));
    if (!answer) return answer.error();
    std::optional<Answer> decoded;
    if (answer->type == Answer::kType) decoded = Answer::decode(answer->data);
    if (!decoded) return unexpected(*answer);
    return std::move(*decoded);
  }

  // FEAT has this name; asked once a connection. False too if it does not answer.
  bool offers(std::string_view feature);

  // The events so far, oldest first.
  std::deque<Chunk> take_events();

  // Takes in what comes within this time, kMuchData at most. The error: the connection has ended.
  std::optional<Error> listen(std::chrono::milliseconds time);

  // Told several times a second of the bytes of the answer that have arrived so far.
  void on_progress(std::function<void(std::size_t)> progress) { progress_ = std::move(progress); }

  // Asked several times a second while an answer is waited for: true ends that with an error. Empty:
  // never.
  void give_up_when(std::function<bool()> given_up) { given_up_ = std::move(given_up); }

  const std::string& name() const { return name_; }  // its address

  static Error unexpected(const Chunk& answer);

 private:
  using Clock = std::chrono::steady_clock;

  DdmClient(FileDescriptor socket, std::string name);
  std::optional<Error> shake_hands();
  std::optional<Error> send(ByteSpan data, std::chrono::seconds silence);
  // Waits for bytes and takes them in; false: none came until `deadline`.
  Result<bool> receive(Clock::time_point deadline, std::size_t most);
  std::optional<Error> keep_events(const Packet& packet, std::size_t most);
  Error silent(std::chrono::seconds silence) const;
  Error too_much(std::size_t most) const;

  FileDescriptor socket_;
  std::string name_;  // of the address, for messages
  PacketReader reader_{kMaxOutgoingPacket};
  std::deque<Chunk> events_;
  std::optional<std::vector<std::string>> features_;
  std::uint32_t last_id_ = 0;
  std::size_t received_ = 0;  // since the last request
  std::size_t kept_ = 0;      // by events_
  std::function<void(std::size_t)> progress_;
  std::function<bool()> given_up_;
};

}  // namespace ddm
