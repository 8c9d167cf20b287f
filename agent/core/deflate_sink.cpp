#include "core/deflate_sink.h"

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace ddm {

DeflateSink::DeflateSink(Format format, int level, Sink sink)
    : sink_(std::move(sink)), out_(std::size_t{64} << 10) {
  constexpr int kUsualMemory = 8;
  if (deflateInit2(&zlib_, level, Z_DEFLATED, static_cast<int>(format), kUsualMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
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

bool inflate_pieces(DeflateSink::Format format, std::string_view packed,
                    const DeflateSink::Sink& sink, std::string_view* rest) {
  z_stream zlib{};
  if (inflateInit2(&zlib, static_cast<int>(format)) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&zlib, inflateEnd);
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  zlib.avail_in = static_cast<uInt>(packed.size());
  std::vector<char> out(std::size_t{64} << 10);
  int status = Z_OK;
  while (status == Z_OK) {
    zlib.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib.avail_out = static_cast<uInt>(out.size());
    status = inflate(&zlib, Z_NO_FLUSH);
    const std::size_t size = out.size() - zlib.avail_out;
    if (size > 0 && !sink({out.data(), size})) return false;
  }
  if (rest != nullptr) *rest = packed.substr(packed.size() - zlib.avail_in);
  return status == Z_STREAM_END;
}

}  // namespace ddm
