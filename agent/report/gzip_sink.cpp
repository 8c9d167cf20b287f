#include "report/gzip_sink.h"

#include <zlib.h>

#include <array>

namespace ddm {

struct GzipSink::Stream {
  z_stream z{};
  std::array<char, 65536> out;
};

GzipSink::GzipSink(const ReportSink& sink) : sink_(sink), stream_(std::make_unique<Stream>()) {
  constexpr int kGzip = 15 + 16, kUsualMemory = 8;
  if (deflateInit2(&stream_->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kUsualMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    stream_.reset();
  }
}

GzipSink::~GzipSink() {
  if (stream_) deflateEnd(&stream_->z);
}

bool GzipSink::add(std::string_view piece) { return pack(piece, Z_NO_FLUSH); }

bool GzipSink::finish() { return pack({}, Z_FINISH); }

bool GzipSink::pack(std::string_view piece, int flush) {
  if (!stream_ || !wanted_) return false;
  z_stream& z = stream_->z;
  // zlib only reads through the pointer; its interface predates const.
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  z.avail_in = static_cast<uInt>(piece.size());
  do {
    z.next_out = reinterpret_cast<Bytef*>(stream_->out.data());
    z.avail_out = static_cast<uInt>(stream_->out.size());
    deflate(&z, flush);
    const std::size_t packed = stream_->out.size() - z.avail_out;
    if (packed > 0) wanted_ = sink_({stream_->out.data(), packed});
  } while (wanted_ && z.avail_out == 0);
  return wanted_;
}

}  // namespace ddm
