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
  void send(OutgoingPacket) override {}
  bool takes_zlib() const override { return false; }
  void close() override {}
};

// Waits for the answers to requests that were dispatched.
class Answers {
 public:
  // For Dispatcher::dispatch(). Destroying the callback uncalled also counts as an answer, since a
  // session that closes gives none.
  ReplyDone expect() {
    {
      const std::lock_guard lock(state_->mutex);
      ++state_->expected;
    }
    const std::shared_ptr<void> ticket(nullptr, [state = state_](void*) {
      const std::lock_guard lock(state->mutex);
      --state->expected;
      state->changed.notify_all();
    });
    return [ticket, state = state_](std::vector<Chunk> answers) {
      const std::lock_guard lock(state->mutex);
      if (!answers.empty()) state->chunk = std::move(answers.front());
    };
  }

  // False: answers are still missing after `limit`. Chunks that arrive later are ignored.
  bool wait(std::chrono::milliseconds limit) {
    std::unique_lock lock(state_->mutex);
    return state_->changed.wait_for(lock, limit, [this] { return state_->expected == 0; });
  }

  // After wait(): the first chunk of the last answer; type 0 = the empty one.
  Chunk take() {
    const std::lock_guard lock(state_->mutex);
    Chunk answer = std::move(state_->chunk);
    if (!answer.stored) return answer;
    Result<Bytes> data = answer.stored->read();
    if (!data) return to_chunk(Fail{FailCode::kInternal, data.message()});
    return {answer.type, std::move(*data)};
  }

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
