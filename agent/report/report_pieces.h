// Sinks of reports: ReportPieces buffers a report's text and passes it on in pieces.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace ddm {

// A sink that appends to `text`, which must outlive it.
inline ReportSink into(std::string& text) {
  return [&text](std::string_view piece) {
    text += piece;
    return true;
  };
}

class ReportPieces {
 public:
  explicit ReportPieces(const ReportSink& sink) : sink_(sink) {}

  std::string& text() { return text_; }  // append here

  // Call between records: passes on a full piece. False: the sink is done.
  bool wanted() {
    if (text_.size() >= kPieceBytes) finish();
    return wanted_;
  }

  void finish() {
    if (wanted_) wanted_ = sink_(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

  const ReportSink& sink_;
  std::string text_;
  bool wanted_ = true;
};

}  // namespace ddm
