#include "adapters/dyper/documents/framing.h"

#include <algorithm>
#include <utility>

namespace ddm {
namespace {

// No line that ends a document is as long as this.
constexpr std::size_t kLongLine = 4096;

std::string framed(std::string_view document, std::string_view end) {
  std::string text(document);
  if (!text.ends_with('\n')) text += '\n';
  text += end;
  text += '\n';
  return text;
}

}  // namespace

std::string framed_message(std::string_view document) { return framed(document, kMessageEnd); }

std::string framed_reply(std::string_view document) { return framed(document, kReplyEnd); }

void DocumentReader::append_line(std::string_view line) {
  const std::size_t room = kMaxDocument + 1 - std::min(document_.size(), kMaxDocument + 1);
  document_ += line.substr(0, room);
}

std::optional<std::string> DocumentReader::next() {
  std::size_t begin = 0;
  std::optional<std::string> found;
  for (std::size_t end = 0; !found && (end = buffer_.find('\n', begin)) != std::string::npos;) {
    const std::string_view whole = std::string_view(buffer_).substr(begin, end + 1 - begin);
    std::string_view line = whole.substr(0, whole.size() - 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    begin = end + 1;
    if (!std::exchange(line_goes_on_, false) && line == kMessageEnd) {
      found = std::exchange(document_, {});
    } else {
      append_line(whole);
    }
  }
  buffer_.erase(0, begin);
  if (!found && buffer_.size() > kLongLine) {
    append_line(buffer_);
    buffer_.clear();
    line_goes_on_ = true;
  }
  return found;
}

}  // namespace ddm
