#include "wire/chunks/exchange.h"

#include <algorithm>

#include "wire/chunks/packet.h"
#include "wire/chunks/zlib_chunk.h"

namespace ddm {
namespace {

// Far beyond any server's use; bounds the work that one packet of 16 MiB can cause.
constexpr std::size_t kMaxChunks = 1024;

// Leaves room for the FAILs of the chunks that did not fit.
constexpr std::size_t kRoomForHeaders = std::size_t{1} << 20;

// If it cannot be stored, the data stays in memory, where the session's limits apply.
Chunk stored(Chunk chunk) {
  const auto whole = StoredData::create();
  if (!whole || (*whole)->append(chunk.data)) return chunk;
  const auto append = [&](ByteSpan piece) { return (*whole)->append(piece); };
  if (chunk.stored && chunk.stored->read_to(append)) return chunk;
  return {chunk.type, {}, *whole};
}

std::string not_answered(ChunkType request, const std::string& reason) {
  return chunk_name(request) + " was not answered: " + reason;
}

}  // namespace

Exchange::Exchange(const Dispatcher& dispatcher, Executor& executor, SessionPtr session,
                   Bytes payload, ReplyDone done)
    : dispatcher_(dispatcher),
      executor_(executor),
      session_(std::move(session)),
      payload_(std::move(payload)),
      done_(std::move(done)) {}

Exchange::~Exchange() { forget_answers(); }

void Exchange::begin() {
  auto chunks = split_chunks(payload_, kMaxChunks + 1);
  Fail fail{FailCode::kRefused, ""};
  if (!chunks || chunks->empty()) {
    fail.message = "the packet of " + std::to_string(payload_.size()) +
                   " bytes is no chunk: u4 type, u4 length, data";
  } else if (chunks->size() > kMaxChunks) {
    fail.message = "more than " + std::to_string(kMaxChunks) + " chunks in one packet";
  } else {
    chunks_ = std::move(*chunks);
    return advance();
  }
  done_({to_chunk(fail)});
}

void Exchange::advance() {
  while (answers_.size() < chunks_.size()) {
    if (!session_->is_open()) return;  // the peer is gone
    step_.store(Step::kStarting);
    refused_ = !refusal_.empty();  // read here: refuse() may write it once the chunk is open
    start_chunk(chunks_[answers_.size()]);
    if (open_ != 0 && !std::exchange(announced_, true)) executor_.answered_later(weak_from_this());
    Step expected = Step::kStarting;
    if (step_.compare_exchange_strong(expected, Step::kWaiting)) return;  // answered later
  }
  finish();
}

void Exchange::answer(Chunk chunk) {
  if (!session_->is_open()) chunk = {chunk.type, {}};  // the peer is gone: keep nothing
  if (session_->takes_zlib()) chunk = smallest_chunk(std::move(chunk));
  if (answered_ + chunk.size() > kMaxOutgoingPacket - kRoomForHeaders) {
    chunk = to_chunk(Fail{FailCode::kTooBig, "the answer is bigger than a packet may be"});
  }
  if (chunk.data.size() >= StoredData::kFrom) chunk = stored(std::move(chunk));
  answered_ += chunk.size();
  answered_memory_ += chunk.data.size();
  session_->answer_bytes += chunk.data.size();
  answers_.push_back(std::move(chunk));
  if (step_.exchange(Step::kAnswered) == Step::kWaiting) advance();
}

std::shared_ptr<Reply> Exchange::reply_to(ChunkType type) {
  const std::size_t number = answers_.size() + 1;
  open_ = number;
  // Shared because a std::function must be copyable.
  return std::make_shared<Reply>(
      type,
      [self = shared_from_this(), number](Chunk chunk) {
        if (self->claim(number)) self->answer(std::move(chunk));
      },
      [self = weak_from_this(), number] {
        const auto exchange = self.lock();
        return exchange && exchange->open_ == number;
      });
}

bool Exchange::claim(std::size_t chunk) {
  return chunk != 0 && open_.compare_exchange_strong(chunk, 0);
}

void Exchange::refuse(std::string_view reason) {
  const std::size_t number = open_;
  if (!claim(number)) return;
  if (refusal_.empty()) refusal_ = reason;
  answer(to_chunk(Fail{FailCode::kRefused, not_answered(chunks_[number - 1].type, refusal_)}));
}

void Exchange::start_chunk(const ChunkView& view) {
  if (answered_ > Dispatcher::kMaxAnswers) {
    return reply_to(view.type)->fail(FailCode::kTooBig, "the answers to the chunks before " +
                                                            chunk_name(view.type) +
                                                            " are as much as a packet may bring");
  }
  if (view.type == kZlibType) return start_packed_chunk(view);
  const auto reply = reply_to(view.type);
  auto entry = dispatcher_.find(view.type);
  if (!entry) return reply->send_empty();
  const Lane lane = entry->lane;
  const auto data = [view]() -> Result<Bytes> { return Bytes(view.data.begin(), view.data.end()); };
  schedule(lane, std::move(entry), view.type, data, reply);
}

void Exchange::start_packed_chunk(const ChunkView& view) {
  session_->understands_zlib = true;
  const auto inner = inner_header(view.data);
  const ChunkType type = inner ? inner->type : kZlibType;
  auto entry = dispatcher_.find(type);
  const Lane lane = entry && entry->lane == Lane::kSlow ? Lane::kSlow : Lane::kQuick;
  schedule(
      lane, std::move(entry), type, [this, view] { return expand(view.data); }, reply_to(type));
}

Result<Bytes> Exchange::expand(ByteSpan packed) {
  // The declared length counts against the limit, correct or not.
  const auto inner = inner_header(packed);
  const std::size_t left = Dispatcher::kMaxExpanded - expanded_;
  if (inner && inner->length <= left) expanded_ += inner->length;
  auto chunk = expand_chunk(packed, left);
  if (!chunk) return chunk.error();
  return std::move(chunk->data);
}

void Exchange::schedule(Lane lane, std::shared_ptr<const Dispatcher::Entry> entry, ChunkType type,
                        std::function<Result<Bytes>()> data, std::shared_ptr<Reply> reply) {
  if (lane != Lane::kInline && refused_) {
    return reply->fail(FailCode::kRefused, not_answered(type, refusal_));
  }
  // The Reply keeps this exchange alive, and with it the payload that `data` reads.
  auto task = [session = session_, entry = std::move(entry), type, data = std::move(data),
               reply = std::move(reply), asked = std::chrono::steady_clock::now()] {
    // The session closed, or the request was refused, while the task was queued.
    if (!session->is_open() || !reply->wanted()) return;
    try {
      auto content = data();
      if (!content) return reply->fail(FailCode::kRefused, content.message());
      if (!entry) return reply->send_empty();
      entry->handler(Request{session, type, std::move(*content), asked}, std::move(*reply));
    } catch (const std::exception&) {
      // The Reply answered with FAIL during unwinding. A handler's exception ends its request, not
      // the thread.
    }
  };
  if (lane == Lane::kInline) {
    task();
  } else {
    executor_.run(lane, session_, std::move(task));
  }
}

void Exchange::finish() {
  const auto is_empty = [](const Chunk& chunk) { return chunk.size() == 0; };
  if (std::ranges::all_of(answers_, is_empty)) answers_.clear();
  forget_answers();  // the receiver of the answers accounts for them
  finished_ = true;
  done_(std::move(answers_));
}

void Exchange::forget_answers() { session_->answer_bytes -= std::exchange(answered_memory_, 0); }

}  // namespace ddm
