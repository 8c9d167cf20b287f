#include "wire/chunks/report_chunk.h"

#include <zlib.h>

#include <array>
#include <string>

namespace ddm {
namespace {

constexpr std::size_t kStep = std::size_t{64} << 10;

}  // namespace

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
  const bool whole = zlib_.finish();
  if (too_big_) {
    return Error{"the report is bigger than " + std::to_string(max_bytes_ >> 20) +
                 " MiB even when packed; dump= writes it where the program runs"};
  }
  if (!failed_ && packed_.stored) failed_ = packed_.store();
  if (failed_) return Error{"the packed report finds no room: " + failed_->message};
  if (!whole) return Error{"no memory to pack the report"};
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
  z_stream zlib{};
  if (inflateInit(&zlib) != Z_OK) return Error{"no memory to unpack the report"};
  zlib.next_in = const_cast<Bytef*>(packed.data());  // zlib does not write through it
  zlib.avail_in = static_cast<uInt>(packed.size());
  std::array<Bytef, kStep> piece;
  std::uint64_t unpacked = 0;
  int status = Z_OK;
  bool wanted = true;
  while (status == Z_OK && wanted && unpacked <= length) {
    zlib.next_out = piece.data();
    zlib.avail_out = kStep;
    status = inflate(&zlib, Z_NO_FLUSH);
    const std::size_t size = kStep - zlib.avail_out;
    unpacked += size;
    if (size > 0 && unpacked <= length) {
      wanted = sink({reinterpret_cast<const char*>(piece.data()), size});
    }
  }
  inflateEnd(&zlib);
  if (wanted && (status != Z_STREAM_END || unpacked != length)) return damaged;
  return {};
}

}  // namespace ddm
