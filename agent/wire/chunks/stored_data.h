// Data too large to be kept in memory until its peer reads it: an unlinked file, freed with its
// last owner or with the process.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/file_descriptor.h"
#include "wire/chunks/bytes.h"

namespace ddm {

class StoredData {
 public:
  // Size from which on answers and events are stored.
  static constexpr std::size_t kFrom = std::size_t{256} << 10;

  // Creates an empty file under TMPDIR or /tmp; in anonymous memory (memfd) if neither accepts one.
  static Result<std::shared_ptr<StoredData>> create();
  static Result<std::shared_ptr<const StoredData>> of(ByteSpan data);

  // A complete file.
  StoredData(FileDescriptor fd, std::uint64_t size) : fd_(std::move(fd)), size_(size) {}

  // Only before the object is shared.
  std::optional<Error> append(ByteSpan data);

  Result<Bytes> read() const { return read(0, static_cast<std::size_t>(size_)); }
  // At most `most` bytes from `offset` on.
  Result<Bytes> read(std::uint64_t offset, std::size_t most) const;

  // All of it in pieces of kFrom, until `sink` returns an error, which is then the result.
  std::optional<Error> read_to(const std::function<std::optional<Error>(ByteSpan)>& sink) const;

  // For reads with explicit offsets: the file position is undefined.
  int fd() const { return fd_.get(); }
  std::uint64_t size() const { return size_; }

 private:
  const FileDescriptor fd_;
  std::uint64_t size_;
};

// Data that is written piece by piece, in memory until store() moves it to a file.
struct GrowingData {
  Bytes bytes;                         // not yet stored
  std::shared_ptr<StoredData> stored;  // what precedes them; null: nothing

  std::size_t size() const { return bytes.size() + (stored ? stored->size() : 0); }
  std::optional<Error> store();
};

}  // namespace ddm
