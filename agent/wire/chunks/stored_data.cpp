#include "wire/chunks/stored_data.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/temporary_directory.h"

namespace ddm {
namespace {

Error storing_failed(int error) {
  return Error{"storing data until it is read: " + errno_text(error)};
}

}  // namespace

Result<std::shared_ptr<StoredData>> StoredData::create() {
  FileDescriptor fd = nameless_file(temporary_directory());
  if (!fd.valid()) fd = nameless_file("/tmp");
  if (!fd.valid()) fd = FileDescriptor(memfd_create("ddmagent", MFD_CLOEXEC));
  if (!fd.valid()) return storing_failed(errno);
  return std::make_shared<StoredData>(std::move(fd), 0);
}

Result<std::shared_ptr<const StoredData>> StoredData::of(ByteSpan data) {
  auto created = create();
  if (!created) return created.error();
  if (auto failed = (*created)->append(data)) return std::move(*failed);
  return std::shared_ptr<const StoredData>(std::move(*created));
}

Result<Bytes> StoredData::read(std::uint64_t offset, std::size_t most) const {
  Bytes data(std::min<std::uint64_t>(most, size_ - std::min(size_, offset)));
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t count =
        ::pread(fd(), data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Error{"stored data cannot be read"};
    done += static_cast<std::size_t>(count);
  }
  return data;
}

std::optional<Error> StoredData::read_to(
    const std::function<std::optional<Error>(ByteSpan)>& sink) const {
  for (std::uint64_t at = 0; at < size_;) {
    const auto piece = read(at, kFrom);
    if (!piece) return piece.error();
    if (auto failed = sink(*piece)) return failed;
    at += piece->size();
  }
  return {};
}

std::optional<Error> StoredData::append(ByteSpan data) {
  while (!data.empty()) {
    const ssize_t count = ::pwrite(fd(), data.data(), data.size(), static_cast<off_t>(size_));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return storing_failed(errno);
    size_ += static_cast<std::uint64_t>(count);
    data = data.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

std::optional<Error> GrowingData::store() {
  if (!stored) {
    auto created = StoredData::create();
    if (!created) return created.error();
    stored = std::move(*created);
  }
  auto failed = stored->append(bytes);
  bytes.clear();
  return failed;
}

}  // namespace ddm
