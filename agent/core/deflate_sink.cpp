#include "core/deflate_sink.h"

#include <cstddef>
#include <utility>

namespace ddm {

DeflateSink::DeflateSink(Format format, int level, Sink sink)
    : sink_(std::move(sink)), out_(std::size_t{64} << 10) {
  constexpr int kUsualMemory = 8;
  wanted_ = deflateInit2(&zlib_, level, Z_DEFLATED, static_cast<int>(format), kUsualMemory,
                         Z_DEFAULT_STRATEGY) == Z_OK;
}

// zlib counts its input in 32 bits.
bool DeflateSink::add(std::string_view piece) {
  while (wanted_ && !piece.empty()) {
    const std::string_view part = piece.substr(0, std::size_t{1} << 30);
    piece.remove_prefix(part.size());
    pack(part, Z_NO_FLUSH);
  }
  return wanted_;
}

bool DeflateSink::pack(std::string_view piece, int flush) {
  if (!wanted_) return false;
  // zlib only reads through the pointer; its interface predates const.
  zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  zlib_.avail_in = static_cast<uInt>(piece.size());
  do {
    zlib_.next_out = reinterpret_cast<Bytef*>(out_.data());
    zlib_.avail_out = static_cast<uInt>(out_.size());
    deflate(&zlib_, flush);
    const std::size_t packed = out_.size() - zlib_.avail_out;
    if (packed > 0) wanted_ = sink_({out_.data(), packed});
  } while (wanted_ && zlib_.avail_out == 0);
  return wanted_;
}

}  // namespace ddm
