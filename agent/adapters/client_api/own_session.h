// Requests from the program to its own agent: a session without a connection.
#pragma once

#include <condition_variable>
#include <mutex>

#include "wire/chunks/dispatcher.h"

namespace ddm {

// Events to this session are dropped: only servers receive events.
class OwnSession final : public Session {
 public:
  std::uint64_t id() const override { return 0; }
  bool is_open() const override { return true; }
  void send_event(Chunk) override {}
  bool wait_for_room(std::chrono::milliseconds) override { return true; }
  void send_packets(Bytes) override {}
  void send_stored(std::shared_ptr<const StoredData>) override {}
  bool takes_zlib() const override { return false; }
  void close() override {}
};

// Waits for the answers to requests that were dispatched.
class Answers {
 public:
  // For Dispatcher::dispatch(). Destroying the callback uncalled also counts as an answer, since a
  // session that closes gives none.
  ReplyDone expect();

  // False: answers are still missing after `limit`. Chunks that arrive later are ignored.
  bool wait(std::chrono::milliseconds limit);

  // After wait(): the first chunk of the last answer; type 0 = the empty one.
  Chunk take();

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    int expected = 0;
    Chunk chunk;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace ddm
