// The server's side of a DDM connection: sends requests to a VM and waits for the answers.
//
// For one thread. Events that arrive meanwhile are kept for take_events(). The VM may be hostile:
// each request has bounds, and exceeding them is an error that says so.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "containers/inside.h"
#include "core/file_descriptor.h"
#include "target_process.h"
#include "wire/chunks/fields.h"
#include "wire/chunks/packet.h"
#include "wire/sockets/address.h"

namespace ddm {

class DdmClient {
 public:
  // Bounds of one request, until its answer is complete.
  struct Bounds {
    std::chrono::seconds silence;  // between two bytes
    std::chrono::seconds time;     // in all
    std::size_t bytes;             // of the answer and of events meanwhile, also when unpacked
  };
  static constexpr Bounds kShort{std::chrono::minutes(1), std::chrono::minutes(2),
                                 std::size_t{32} << 20};
  static constexpr Bounds kMuchData{std::chrono::minutes(1), std::chrono::hours(2),
                                    std::size_t{1} << 30};
  // For requests that take a pass over the heap or all classes before the first byte.
  static constexpr Bounds kLongWork{std::chrono::minutes(30), std::chrono::hours(2),
                                    std::size_t{1} << 30};

  static constexpr std::chrono::seconds kConnectTime{5};

  // Connected, and the handshake is done. `patience`: for the connection, and for the handshake.
  static Result<DdmClient> connect(const TargetAddress& address,
                                   std::chrono::seconds patience = kConnectTime);

  // The answer to one chunk; type 0 = the empty answer. FAIL is an answer here.
  Result<Chunk> ask(Chunk request, const Bounds& bounds = kShort);

  // The same, but FAIL is an error with its message.
  Result<Chunk> request(Chunk request, const Bounds& bounds = kShort);

  // request(), decoded; an answer of another type or layout is an error.
  template <typename Answer>
  Result<Answer> get(Chunk question, const Bounds& bounds = kShort,
                     ChunkType type = Answer::kType) {
    const auto answer = request(std::move(question), bounds);
    if (!answer) return answer.error();
    return decoded<Answer>(*answer, type);
  }
  template <typename Answer>
  static Result<Answer> decoded(const Chunk& answer, ChunkType type = Answer::kType) {
    std::optional<Answer> message;
    if (answer.type == type) message = ddm::decode<Answer>(answer.data);
    if (!message) return unexpected(answer);
    return std::move(*message);
  }

  // Whether FEAT lists this name; FEAT is requested once. False too if there is no answer.
  bool offers(std::string_view feature);

  // The events so far, oldest first.
  std::deque<Chunk> take_events();

  // Receives events for this time, within kMuchData. The error: the connection has ended.
  std::optional<Error> listen(std::chrono::milliseconds time);

  // Stays connected for so long, or until `ended`, which is asked ten times a second and may take
  // the events of that time; otherwise they are dropped.
  std::optional<Error> idle(double seconds, const std::function<bool()>& ended);

  // Called several times a second with the bytes of the answer received so far.
  void on_progress(std::function<void(std::size_t)> progress) { progress_ = std::move(progress); }

  // Called several times a second while waiting: true ends the wait with an error. Empty: never.
  void cancel_when(std::function<bool()> cancelled) { cancelled_ = std::move(cancelled); }

  const std::string& name() const { return name_; }  // its address

  // Whose connection it is, so that an error can say that the program has ended.
  void belongs_to(const TargetProcess& process) { process_ = process; }
  const TargetProcess& process() const { return process_; }

  static Error unexpected(const Chunk& answer);

 private:
  using Clock = std::chrono::steady_clock;

  DdmClient(FileDescriptor socket, std::string name);
  std::optional<Error> shake_hands(std::chrono::seconds patience);
  std::optional<Error> send(ByteSpan data, std::chrono::seconds silence);
  // Waits for bytes and parses them; false: none until `deadline`.
  Result<bool> receive(Clock::time_point deadline, std::size_t most);
  std::optional<Error> keep_events(const Packet& packet, std::size_t most);
  Error closed_error() const;
  Error silence_error(std::chrono::seconds silence) const;
  Error size_error(std::size_t most) const;

  FileDescriptor socket_;
  std::string name_;  // of the address, for messages
  TargetProcess process_;
  PacketReader reader_{kMaxOutgoingPacket};
  std::deque<Chunk> events_;
  std::optional<std::vector<std::string>> features_;
  std::uint32_t last_id_ = 0;
  std::size_t received_ = 0;  // since the last request
  std::size_t kept_ = 0;      // by events_
  std::function<void(std::size_t)> progress_;
  std::function<bool()> cancelled_;
};

}  // namespace ddm
