// An answer that takes long to make, made once for all servers that wait for it: what was begun
// after a server asked is as good for it as one of its own. So however many ask for the same
// thing, nobody waits for more than the answer that is being made and the next one.
//
// Kept for as long as somebody is being sent it. One lane's own.
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

  // What was begun since `asked`, else what `make` makes. It lies in a file unless it is tiny, or
  // no file can be made.
  Result<Chunk> get(Clock::time_point asked, const Make& make);

  // Something has changed that whoever asked before may know of.
  void forget() { last_.reset(); }

 private:
  ChunkType type_ = 0;
  std::weak_ptr<const StoredData> last_;
  Clock::time_point begun_{};
};

}  // namespace ddm
