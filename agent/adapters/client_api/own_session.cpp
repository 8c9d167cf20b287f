#include "adapters/client_api/own_session.h"

namespace ddm {

ReplyDone Answers::expect() {
  struct Ticket {
    explicit Ticket(std::shared_ptr<State> answers) : state(std::move(answers)) {}
    ~Ticket() {
      const std::lock_guard lock(state->mutex);
      --state->expected;
      state->changed.notify_all();
    }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;
    const std::shared_ptr<State> state;
  };
  {
    const std::lock_guard lock(state_->mutex);
    ++state_->expected;
  }
  return [ticket = std::make_shared<Ticket>(state_)](std::vector<Chunk> answers) {
    const std::lock_guard lock(ticket->state->mutex);
    if (!answers.empty()) ticket->state->chunk = std::move(answers.front());
  };
}

bool Answers::wait(std::chrono::milliseconds limit) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, limit, [this] { return state_->expected == 0; });
}

Chunk Answers::take() {
  const std::lock_guard lock(state_->mutex);
  Chunk answer = std::move(state_->chunk);
  if (!answer.stored) return answer;
  Result<Bytes> data = answer.stored->read();
  if (!data) return to_chunk(Fail{FailCode::kInternal, data.message()});
  return {answer.type, std::move(*data)};
}

}  // namespace ddm
