// One request packet until its reply; the dispatcher's implementation.
//
// Lives as long as one of its chunks has a Reply. It is advanced by one thread at a time: the one
// that started it, or the one that gave the last answer. All members belong to that thread, except
// step_, which transfers the ownership, and open_, which admits one answer per chunk when a handler
// and refuse() race.
#pragma once

#include <atomic>

#include "wire/chunks/dispatcher.h"

namespace ddm {

class Exchange final : public OpenRequest, public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(const Dispatcher& dispatcher, Executor& executor, SessionPtr session, Bytes payload,
           ReplyDone done);
  ~Exchange() override;

  void begin();

  bool answered() const override { return finished_; }
  // Refuses the current chunk, and the following ones that would wait for a lane.
  void refuse(std::string_view reason) override;

 private:
  // State of the current chunk between the thread that starts it and the one that answers it: the
  // later of the two continues with the next chunk. This avoids recursion over many chunks.
  enum class Step { kStarting, kWaiting, kAnswered };

  void advance();
  void start_chunk(const ChunkView& view);
  void start_packed_chunk(const ChunkView& view);
  // Runs the handler in its lane; `data` is evaluated there.
  void schedule(Lane lane, std::shared_ptr<const Dispatcher::Entry> entry, ChunkType type,
                std::function<Result<Bytes>()> data, std::shared_ptr<Reply> reply);
  // The Reply of the current chunk.
  std::shared_ptr<Reply> reply_to(ChunkType type);
  // True for the one caller that may answer the chunk.
  bool claim(std::size_t chunk);
  Result<Bytes> expand(ByteSpan packed);
  void answer(Chunk chunk);
  void finish();
  void forget_answers();

  const Dispatcher& dispatcher_;
  Executor& executor_;
  const SessionPtr session_;
  const Bytes payload_;
  const ReplyDone done_;
  std::vector<ChunkView> chunks_;  // into payload_
  std::size_t expanded_ = 0;       // bytes that ZLIB chunks were expanded to
  std::vector<Chunk> answers_;
  std::size_t answered_ = 0;         // bytes of all answers
  std::size_t answered_memory_ = 0;  // bytes of answers in memory
  std::string refusal_;              // the first reason; "": not refused
  bool refused_ = false;             // before the current chunk
  bool announced_ = false;           // Executor::answered_later() was called
  std::atomic<Step> step_{Step::kStarting};
  std::atomic<std::size_t> open_{0};  // the chunk that may be answered now, from 1; 0: none
  std::atomic<bool> finished_{false};
};

}  // namespace ddm
