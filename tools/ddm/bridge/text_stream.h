// Streams whose content the bridge generates.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "bridge/stream.h"

namespace ddm {

// A text, and then the end.
class TextStream : public Stream {
 public:
  explicit TextStream(std::string text) : text_(std::move(text)) {}

  std::string take(std::size_t max) override {
    std::string piece = text_.substr(0, max);
    text_.erase(0, piece.size());
    return piece;
  }
  bool ended() const override { return text_.empty(); }
  void put(std::string) override {}  // whatever a user types

 private:
  std::string text_;
};

// A text that is sent in full, and again after each change. A change that is superseded before it
// could be sent is skipped.
class UpdateStream : public Stream {
 public:
  struct Update {
    std::uint64_t version = 0;
    std::string text;
  };
  explicit UpdateStream(std::function<Update()> source) : source_(std::move(source)) {}

  std::string take(std::size_t max) override {
    if (pending_.empty()) {
      Update update = source_();
      if (update.version != sent_) pending_ = std::move(update.text);
      sent_ = update.version;
    }
    std::string piece = pending_.substr(0, max);
    pending_.erase(0, piece.size());
    return piece;
  }
  bool ended() const override { return false; }
  void put(std::string) override {}

 private:
  std::function<Update()> source_;
  std::string pending_;
  std::uint64_t sent_ = 0;  // versions begin at 1
};

}  // namespace ddm
