// The server's side of DDM, one connection: asks a VM and waits for its answers.
//
// For one thread. Events that come meanwhile are kept until somebody takes them. Every wait has an
// end: kSilence without a byte from the VM, which is an error that says so.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>

#include "ddm/packet.h"
#include "sockets/address.h"
#include "sockets/file_descriptor.h"

namespace ddm {

class DdmClient {
 public:
  static constexpr std::chrono::seconds kConnectTime{5};
  // For what goes through the whole heap (a collection, a dump, a map) before the first byte comes.
  static constexpr std::chrono::minutes kHeapTime{30};
  static constexpr std::chrono::seconds kSilence{60};

  // Connected, and the handshake is done.
  static Result<DdmClient> connect(const Address& address);

  // The answer to one chunk; type 0 = the empty answer. FAIL is an answer here.
  Result<Chunk> ask(Chunk request, std::chrono::milliseconds silence = kSilence);

  // The same, but FAIL is an error with its message.
  Result<Chunk> request(Chunk request, std::chrono::milliseconds silence = kSilence);

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

  // The events so far, oldest first.
  std::deque<Chunk> take_events() { return std::exchange(events_, {}); }

  // Takes in what comes within this time. The error: the connection has ended.
  std::optional<Error> listen(std::chrono::milliseconds time);

  // Told of the bytes of the answer that have arrived so far.
  void on_progress(std::function<void(std::size_t)> progress) { progress_ = std::move(progress); }

  static Error unexpected(const Chunk& answer);

 private:
  using Clock = std::chrono::steady_clock;

  DdmClient(FileDescriptor socket, std::string name);
  std::optional<Error> shake_hands();
  std::optional<Error> send(ByteSpan data, std::chrono::milliseconds silence);
  // Waits for bytes and takes them in; false: none came until `deadline`.
  Result<bool> receive(Clock::time_point deadline);
  void keep_events(const Packet& packet);
  Error silent(std::chrono::milliseconds silence) const;

  FileDescriptor socket_;
  std::string name_;  // of the address, for messages
  PacketReader reader_{kMaxOutgoingPacket};
  std::deque<Chunk> events_;
  std::uint32_t last_id_ = 0;
  std::size_t received_ = 0;  // since the last request
  std::function<void(std::size_t)> progress_;
};

}  // namespace ddm
