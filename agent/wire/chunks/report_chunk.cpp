#include "wire/chunks/report_chunk.h"

#include <zlib.h>

#include <string>

namespace ddm {

ReportPacker::ReportPacker(std::size_t max_bytes)
    : max_bytes_(max_bytes),
      // Compression takes the program's CPU and the link is mostly loopback: speed over size.
      zlib_(DeflateSink::Format::kZlib, Z_BEST_SPEED,
            [this](std::string_view packed) { return take(packed); }) {}

bool ReportPacker::take(std::string_view packed) {
  packed_.bytes.insert(packed_.bytes.end(), packed.begin(), packed.end());
  too_big_ = packed_.size() > max_bytes_;
  if (!too_big_ && packed_.bytes.size() > kInMemory) failed_ = packed_.store();
  return !too_big_ && !failed_;
}

bool ReportPacker::add(std::string_view piece) {
  length_ += piece.size();
  return zlib_.add(piece);
}

Result<Chunk> ReportPacker::finish() {
  zlib_.finish();
  if (too_big_) {
    return Error{"the report is bigger than " + std::to_string(max_bytes_ >> 20) +
                 " MiB even when packed; dump= writes it where the program runs"};
  }
  if (!failed_ && packed_.stored) failed_ = packed_.store();
  if (failed_) return Error{"the packed report finds no room: " + failed_->message};
  ByteWriter out;
  out.u8(length_);
  Bytes data = out.take();
  data.insert(data.end(), packed_.bytes.begin(), packed_.bytes.end());
  return Chunk{ReportRequest::kType, std::move(data), std::move(packed_.stored)};
}

std::optional<Error> unpack_report(ByteSpan data, std::uint64_t most,
                                   const std::function<bool(std::string_view)>& sink) {
  ByteReader in(data);
  const std::uint64_t length = in.u8();
  const ByteSpan packed = in.rest();
  const Error damaged{"the report is damaged"};
  if (!in.ok() || packed.size() > (std::size_t{1} << 31)) return damaged;
  if (length > most) {
    return Error{"the report unpacks to more than " + std::to_string(most >> 20) + " MiB"};
  }
  std::uint64_t left = length;
  bool wanted = true;
  const bool whole = inflate_pieces(DeflateSink::Format::kZlib,
                                    {reinterpret_cast<const char*>(packed.data()), packed.size()},
                                    [&](std::string_view piece) {
                                      if (piece.size() > left) return false;
                                      left -= piece.size();
                                      wanted = sink(piece);
                                      return wanted;
                                    });
  if (wanted && (!whole || left != 0)) return damaged;
  return {};
}

}  // namespace ddm
