// Texts that come in pieces: those of files, and the lines in them.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace ddm {

class LineSplitter {
 public:
  // Calls `use` for each line as it becomes complete, until it returns false: from then on all
  // pieces are ignored, and the result is false.
  template <typename Use>
  bool feed(std::string_view piece, const Use& use) {
    for (std::size_t end; !stopped_ && (end = piece.find('\n')) != std::string_view::npos;
         piece.remove_prefix(end + 1)) {
      rest_ += piece.substr(0, end);
      stopped_ = !use(std::string_view(rest_));
      rest_.clear();
    }
    if (!stopped_) rest_ += piece;
    return !stopped_;
  }

  bool stopped() const { return stopped_; }
  const std::string& rest() const { return rest_; }  // after the last line end

 private:
  std::string rest_;
  bool stopped_ = false;
};

// Why this is no file to read to its end: it is a device, which may have none. None: it is one, a
// pipe, or nothing at all.
std::optional<Error> refused_as_device(const std::string& path);

// The rest of a stream; none: more than `most` bytes.
std::optional<std::string> rest_of(std::istream& in, std::size_t most);

// Reads a file until `use` returns false. The error: it cannot be read.
std::optional<Error> read_pieces(const std::string& path,
                                 const std::function<bool(std::string_view)>& use);

}  // namespace ddm
