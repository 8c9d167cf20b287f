// Compresses text that comes in pieces, and decompresses in pieces.
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

  DeflateSink(Format format, int level, Sink sink);  // throws std::bad_alloc
  ~DeflateSink() { deflateEnd(&zlib_); }
  DeflateSink(const DeflateSink&) = delete;
  DeflateSink& operator=(const DeflateSink&) = delete;

  // False: the sink wants no more.
  bool add(std::string_view piece);
  bool finish() { return pack({}, Z_FINISH); }

 private:
  bool pack(std::string_view piece, int flush);

  const Sink sink_;
  z_stream zlib_{};
  std::vector<char> out_;
  bool wanted_ = true;
};

// The inverse. False: `packed` is damaged or cut off, or the sink wants no more. At most 4 GiB;
// throws std::bad_alloc. `rest`: gets what is behind it.
bool inflate_pieces(DeflateSink::Format format, std::string_view packed,
                    const DeflateSink::Sink& sink, std::string_view* rest = nullptr);

}  // namespace ddm
