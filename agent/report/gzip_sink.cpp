#include "report/gzip_sink.h"

namespace ddm {

GzipSink::GzipSink(const ReportSink& sink) : sink_(sink), out_(65536) {
  constexpr int kGzip = 15 + 16, kUsualMemory = 8;
  wanted_ = deflateInit2(&z_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kUsualMemory,
                         Z_DEFAULT_STRATEGY) == Z_OK;
}

GzipSink::~GzipSink() { deflateEnd(&z_); }

bool GzipSink::pack(std::string_view piece, int flush) {
  if (!wanted_) return false;
  // zlib only reads through the pointer; its interface predates const.
  z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  z_.avail_in = static_cast<uInt>(piece.size());
  do {
    z_.next_out = reinterpret_cast<Bytef*>(out_.data());
    z_.avail_out = static_cast<uInt>(out_.size());
    deflate(&z_, flush);
    const std::size_t packed = out_.size() - z_.avail_out;
    if (packed > 0) wanted_ = sink_({out_.data(), packed});
  } while (wanted_ && z_.avail_out == 0);
  return wanted_;
}

}  // namespace ddm
