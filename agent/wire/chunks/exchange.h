// One request packet on its way to its reply; the dispatcher's working part.
//
// Lives as long as one of its chunks has a Reply out. One thread at a time advances it: the one
// that began it, or the one that gave the last answer. Everything below belongs to that thread,
// but for step_, by which it is handed over, and open_, by which a chunk gets one answer though two
// threads may have one: its handler's, and whoever refuses what does not go on.
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
  // The chunk that waits, and those behind it that would have to wait.
  void refuse(std::string_view reason) override;

 private:
  // How the current chunk stands between the thread that started it and the one that answers:
  // whoever comes second goes on with the next chunk. No recursion, however many there are.
  enum class Step { kStarting, kWaiting, kAnswered };

  void advance();
  void start_chunk(const ChunkView& view);
  void start_packed_chunk(const ChunkView& view);
  // Calls the handler in its lane with what `data` gives when its turn has come.
  void schedule(Lane lane, std::shared_ptr<const Dispatcher::Entry> entry, ChunkType type,
                std::function<Result<Bytes>()> data, std::shared_ptr<Reply> reply);
  // The reply to the chunk whose turn it is.
  std::shared_ptr<Reply> reply_to(ChunkType type);
  // Whoever gets true answers the chunk, and nobody else does.
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
  std::size_t expanded_ = 0;       // bytes that ZLIB chunks have become
  std::vector<Chunk> answers_;
  std::size_t answered_ = 0;         // bytes of the answers
  std::size_t answered_memory_ = 0;  // those of them that are in memory
  std::string refusal_;              // "": nothing was refused
  bool told_ = false;                // the executor knows of it
  std::atomic<Step> step_{Step::kStarting};
  std::atomic<std::size_t> open_{0};  // the chunk that may be answered now, from 1; 0: none
  std::atomic<bool> finished_{false};
};

}  // namespace ddm
