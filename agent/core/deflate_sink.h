// Compresses text that comes in pieces.
#pragma once

#include <zlib.h>

#include <functional>
#include <string_view>
#include <vector>

namespace ddm {

class DeflateSink {
 public:
  // False: the rest is not wanted.
  using Sink = std::function<bool(std::string_view)>;
  enum class Format { kZlib = 15, kGzip = 15 + 16 };  // RFC 1950 and 1952, as zlib's window bits

  DeflateSink(Format format, int level, Sink sink);
  ~DeflateSink() { deflateEnd(&zlib_); }
  DeflateSink(const DeflateSink&) = delete;
  DeflateSink& operator=(const DeflateSink&) = delete;

  // False: the sink wants no more, or zlib has no memory.
  bool add(std::string_view piece);
  bool finish() { return pack({}, Z_FINISH); }

 private:
  bool pack(std::string_view piece, int flush);

  const Sink sink_;
  z_stream zlib_{};
  std::vector<char> out_;
  bool wanted_;
};

}  // namespace ddm
