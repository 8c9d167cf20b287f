// Compresses pieces of text into a gzip file (RFC 1952).
#pragma once

#include <zlib.h>

#include <string_view>
#include <vector>

#include "report/report.h"

namespace ddm {

class GzipSink {
 public:
  explicit GzipSink(const ReportSink& sink);
  ~GzipSink();
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  // False: the sink is done, or zlib is out of memory.
  bool add(std::string_view piece) { return pack(piece, Z_NO_FLUSH); }
  bool finish() { return pack({}, Z_FINISH); }

 private:
  bool pack(std::string_view piece, int flush);

  const ReportSink& sink_;
  z_stream z_{};
  std::vector<char> out_;
  bool wanted_ = false;
};

}  // namespace ddm
