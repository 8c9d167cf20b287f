#include "ddm/exchange.h"

#include <algorithm>

#include "ddm/packet.h"
#include "ddm/zlib_chunk.h"

namespace ddm {
namespace {

// Far more than any server has use for; bounds what one packet of 16 MiB can set off.
constexpr std::size_t kMaxChunks = 1024;
constexpr std::size_t kMaxExpanded = std::size_t{16} << 20;

}  // namespace

Exchange::Exchange(const Dispatcher& dispatcher, Executor& executor, SessionPtr session,
                   Bytes payload, ReplyDone done)
    : dispatcher_(dispatcher),
      executor_(executor),
      session_(std::move(session)),
      payload_(std::move(payload)),
      done_(std::move(done)) {}

void Exchange::begin() {
  auto chunks = split_chunks(payload_, kMaxChunks + 1);
  if (!chunks) {
    const Fail fail{FailCode::kRefused, "the packet of " + std::to_string(payload_.size()) +
                                            " bytes is no chunk: u4 type, u4 length, data"};
    done_({to_chunk(fail)});
  } else if (chunks->size() > kMaxChunks) {
    const Fail fail{FailCode::kRefused,
                    "more than " + std::to_string(kMaxChunks) + " chunks in one packet"};
    done_({to_chunk(fail)});
  } else {
    chunks_ = std::move(*chunks);
    advance();
  }
}

void Exchange::advance() {
  while (answers_.size() < chunks_.size()) {
    if (!session_->is_open()) return;  // nobody is left to answer
    step_.store(Step::kStarting);
    start_chunk(chunks_[answers_.size()]);
    Step expected = Step::kStarting;
    if (step_.compare_exchange_strong(expected, Step::kWaiting)) return;  // answered later
  }
  finish();
}

void Exchange::answer(Chunk chunk) {
  answers_.push_back(std::move(chunk));
  if (step_.exchange(Step::kAnswered) == Step::kWaiting) advance();
}

void Exchange::start_chunk(const ChunkView& view) {
  auto request = std::make_shared<Request>();
  request->session = session_;
  request->type = view.type;
  std::optional<Error> damaged;
  if (view.type == kZlibType) {
    session_->understands_zlib = true;
    Result<Chunk> inner = expand_chunk(view.data, kMaxExpanded);
    if (inner) {
      request->type = inner->type;
      request->data = std::move(inner->data);
    } else {
      damaged = inner.error();
    }
  } else {
    request->data.assign(view.data.begin(), view.data.end());
  }
  // Shared only because a std::function has to be copyable.
  auto reply = std::make_shared<Reply>(
      request->type, [self = shared_from_this()](Chunk chunk) { self->answer(std::move(chunk)); });
  if (damaged) return reply->fail(FailCode::kRefused, damaged->message);
  const auto entry = dispatcher_.find(request->type);
  if (!entry) return reply->send_empty();
  auto task = [entry, request, reply] {
    if (!request->session->is_open()) return;  // has gone while this waited
    try {
      entry->handler(*request, std::move(*reply));
    } catch (const std::exception&) {
      // The Reply has answered when it was unwound. A handler's failure ends its request, not
      // the thread.
    }
  };
  if (entry->lane == Lane::kInline) {
    task();
  } else {
    executor_.run(entry->lane, session_->id(), std::move(task));
  }
}

void Exchange::finish() {
  const auto is_empty = [](const Chunk& chunk) { return chunk.data.empty(); };
  if (std::all_of(answers_.begin(), answers_.end(), is_empty)) answers_.clear();
  if (!fits_packet(answers_)) {
    answers_ = {to_chunk(Fail{FailCode::kTooBig, "the answer is bigger than a packet may be"})};
  }
  done_(std::move(answers_));
}

}  // namespace ddm
