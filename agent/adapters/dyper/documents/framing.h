// The framing of documents on a DYPER connection: any number of lines, then a terminating line.
//
//   to us      <DYPER ...>...</DYPER>         ENDDYPERMSG
//   a reply    <DYPER_REPLY ...>...           ENDDYPERREPLY
//   events     CONNECT 4711@box, <DYPER ...>  ENDDYPERMSG
//
// Replies carry no number: each document gets one, in order. XmlWriter escapes line ends in values,
// so a value cannot forge a terminating line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/dyper/documents/xml_reader.h"

namespace ddm {

inline constexpr std::string_view kMessageEnd = "ENDDYPERMSG";
inline constexpr std::string_view kReplyEnd = "ENDDYPERREPLY";

std::string framed_message(std::string_view document);
std::string framed_reply(std::string_view document);

// Bytes in, documents out. Memory is bounded: only the beginning of an oversized document is kept,
// which is long enough for read_xml() to refuse it by its size.
class DocumentReader {
 public:
  void append(std::string_view data) { buffer_ += data; }

  // The next complete document, without its terminating line.
  std::optional<std::string> next();

  // The bytes held in memory.
  std::size_t held() const { return buffer_.size() + document_.size(); }

 private:
  void append_line(std::string_view line);

  std::string buffer_;         // received and not yet scanned
  std::string document_;       // the lines of the incomplete document
  bool line_goes_on_ = false;  // document_ ends with the beginning of a line
};

}  // namespace ddm
