// How documents follow each other on a DYPER connection: each one is any number of lines, then a
// line that ends it.
//
//   to us      <DYPER ...>...</DYPER>         ENDDYPERMSG
//   a reply    <DYPER_REPLY ...>...           ENDDYPERREPLY
//   unasked    CONNECT 4711@box, <DYPER ...>  ENDDYPERMSG
//
// Replies have no number: they come once for each document, in order. XmlWriter lets no value make
// a line of its own.
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

// Bytes in, documents out. Memory is bounded: of a document that is too long the beginning is kept,
// enough for read_xml() to refuse it by its size.
class DocumentReader {
 public:
  void append(std::string_view data);

  // The next one that is complete, without the line that ends it.
  std::optional<std::string> next();

  // What it keeps in memory.
  std::size_t held() const { return buffer_.size() + document_.size(); }

 private:
  void keep(std::string_view line);

  std::string buffer_;         // what has come and is not looked at
  std::string document_;       // the lines so far
  bool line_goes_on_ = false;  // the last line's beginning is in document_ already
};

}  // namespace ddm
