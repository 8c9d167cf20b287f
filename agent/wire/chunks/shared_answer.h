// An expensive answer, made once for all servers that wait for it: an answer begun after a server's
// request is as current for it as one of its own. However many servers ask for the same thing, each
// waits for at most the answer in progress and the next one.
//
// Kept while it is being sent. Used by one lane.
#pragma once

#include <chrono>
#include <functional>

#include "core/result.h"
#include "wire/chunks/chunk.h"

namespace ddm {

class SharedAnswer {
 public:
  using Clock = std::chrono::steady_clock;
  using Make = std::function<Result<Chunk>()>;

  // The answer begun since `asked`, else the result of `make`. It is stored in a file unless it is
  // tiny or no file can be created.
  Result<Chunk> get(Clock::time_point asked, const Make& make);

  // Drops the answer: a requester may know of a change since it was made.
  void forget() { last_.reset(); }

 private:
  ChunkType type_ = 0;
  std::weak_ptr<const StoredData> last_;
  Clock::time_point begun_{};
};

}  // namespace ddm
