// Compresses pieces of text into a gzip file (RFC 1952).
#pragma once

#include <memory>
#include <string_view>

#include "report/report.h"

namespace ddm {

class GzipSink {
 public:
  explicit GzipSink(const ReportSink& sink);
  ~GzipSink();
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  // False: the sink is done, or zlib is out of memory.
  bool add(std::string_view piece);
  bool finish();

 private:
  struct Stream;
  bool pack(std::string_view piece, int flush);

  const ReportSink& sink_;
  std::unique_ptr<Stream> stream_;  // null: no memory
  bool wanted_ = true;
};

}  // namespace ddm
