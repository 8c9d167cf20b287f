#include "wire/chunks/report_chunk.h"

#include <array>
#include <string>

namespace ddm {
namespace {

constexpr std::size_t kStep = std::size_t{64} << 10;

Bytef* zlib_input(const void* bytes) {
  return const_cast<Bytef*>(static_cast<const Bytef*>(bytes));  // zlib does not write through it
}

}  // namespace

ReportPacker::ReportPacker(std::size_t max_bytes)
    // Compression takes the program's CPU and the link is mostly loopback: speed over size.
    : max_bytes_(max_bytes), ready_(deflateInit(&zlib_, Z_BEST_SPEED) == Z_OK) {}

ReportPacker::~ReportPacker() { deflateEnd(&zlib_); }

bool ReportPacker::deflate_input(int flush) {
  Bytes& packed = packed_.bytes;
  do {
    const std::size_t before = packed.size();
    packed.resize(before + kStep);
    zlib_.next_out = packed.data() + before;
    zlib_.avail_out = kStep;
    deflate(&zlib_, flush);
    packed.resize(before + kStep - zlib_.avail_out);
    too_big_ = packed_.size() > max_bytes_;
    if (!too_big_ && packed.size() > kInMemory) failed_ = packed_.store();
    if (too_big_ || failed_) return false;
  } while (zlib_.avail_out == 0);
  return true;
}

bool ReportPacker::add(std::string_view piece) {
  length_ += piece.size();
  while (!piece.empty()) {
    if (!ready_ || too_big_ || failed_) return false;
    const std::string_view part = piece.substr(0, std::size_t{1} << 30);
    piece.remove_prefix(part.size());
    zlib_.next_in = zlib_input(part.data());
    zlib_.avail_in = static_cast<uInt>(part.size());
    if (!deflate_input(Z_NO_FLUSH)) return false;
  }
  return true;
}

Result<Chunk> ReportPacker::finish() {
  if (!ready_) return Error{"no memory to pack the report"};
  if (!too_big_ && !failed_) deflate_input(Z_FINISH);
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
  z_stream zlib{};
  if (inflateInit(&zlib) != Z_OK) return Error{"no memory to unpack the report"};
  zlib.next_in = zlib_input(packed.data());
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
