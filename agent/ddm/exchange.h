// One request packet on its way to its reply; the dispatcher's working part.
//
// Lives as long as one of its chunks has a Reply out. One thread at a time advances it: the one
// that began it, or the one that gave the last answer.
#pragma once

#include <atomic>

#include "ddm/dispatcher.h"

namespace ddm {

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(const Dispatcher& dispatcher, Executor& executor, SessionPtr session, Bytes payload,
           ReplyDone done);

  void begin();

 private:
  // How the current chunk stands between the thread that started it and the one that answers:
  // whoever comes second goes on with the next chunk. No recursion, however many there are.
  enum class Step { kStarting, kWaiting, kAnswered };

  void advance();
  void start_chunk(const ChunkView& view);
  void answer(Chunk chunk);
  void finish();

  const Dispatcher& dispatcher_;
  Executor& executor_;
  const SessionPtr session_;
  const Bytes payload_;
  const ReplyDone done_;
  std::vector<ChunkView> chunks_;  // into payload_
  std::vector<Chunk> answers_;
  std::atomic<Step> step_{Step::kStarting};
};

}  // namespace ddm
