// Data that is too big to wait in memory until its peer has read it: it lies in a file without a
// name, which is gone with the last one who holds it, or with the process.
#pragma once

#include <memory>
#include <optional>

#include "core/result.h"
#include "wire/chunks/bytes.h"

namespace ddm {

class StoredData {
 public:
  // Answers and events from this size on are stored.
  static constexpr std::size_t kFrom = std::size_t{256} << 10;

  // Empty, under TMPDIR or /tmp; in memory of its own where neither takes a file.
  static Result<std::shared_ptr<StoredData>> create();
  static Result<std::shared_ptr<const StoredData>> of(ByteSpan data);

  // A file that is complete. `fd` is closed with this.
  StoredData(int fd, std::uint64_t size) : fd_(fd), size_(size) {}
  ~StoredData();
  StoredData(const StoredData&) = delete;
  StoredData& operator=(const StoredData&) = delete;

  // Before anybody else has it.
  std::optional<Error> append(ByteSpan data);

  Result<Bytes> read() const { return read(0, static_cast<std::size_t>(size_)); }
  // At most so many bytes from there on.
  Result<Bytes> read(std::uint64_t offset, std::size_t most) const;

  int fd() const { return fd_; }  // to be read with offsets: its position is nobody's
  std::uint64_t size() const { return size_; }

 private:
  const int fd_;
  std::uint64_t size_;
};

}  // namespace ddm
