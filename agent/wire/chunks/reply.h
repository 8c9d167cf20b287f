// The right and the duty to answer one chunk of a request exactly once.
//
// A Reply may be kept and answered later from any thread (one at a time). The first answer counts
// and later ones are ignored; a Reply destroyed unanswered sends FAIL. So on every path through a
// handler, exceptions included, the server gets exactly one answer.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "wire/chunks/chunk.h"
#include "wire/chunks/fail.h"

namespace ddm {

class Reply {
 public:
  // During its lifetime, a Reply destroyed unanswered on this thread gives this reason.
  class DropReason {
   public:
    explicit DropReason(std::string_view reason);
    ~DropReason();
    DropReason(const DropReason&) = delete;
    DropReason& operator=(const DropReason&) = delete;
  };

  // `sink` is called once; a chunk without data is the empty answer, "done". `wanted`: false once
  // the request was answered elsewhere; empty: always true.
  Reply(ChunkType request, std::function<void(Chunk)> sink, std::function<bool()> wanted = nullptr)
      : request_(request), sink_(std::move(sink)), wanted_(std::move(wanted)) {}
  Reply(Reply&& other) noexcept
      : request_(other.request_),
        sink_(std::exchange(other.sink_, nullptr)),
        wanted_(std::move(other.wanted_)) {}
  Reply& operator=(Reply&&) = delete;
  ~Reply();

  void send(Chunk answer);
  template <typename Message>
  requires requires { Message::kType; }
  void send(const Message& message) { send(to_chunk(message)); }
  void send_empty() { send(Chunk{request_, {}}); }
  void fail(FailCode code, std::string message) { send(Fail{code, std::move(message)}); }

  // Whether an answer would still be sent. False: the request was refused meanwhile, and its work
  // can be skipped.
  bool wanted() const { return sink_ && (!wanted_ || wanted_()); }

  // The request's data does not match the layout of its type. `right`: that layout, "u1 when, u1
  // what".
  void fail_bad_data(std::string_view right);

 private:
  ChunkType request_;
  std::function<void(Chunk)> sink_;
  std::function<bool()> wanted_;
};

}  // namespace ddm
