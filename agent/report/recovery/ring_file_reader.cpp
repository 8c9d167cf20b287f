// Maps a ring file for reading, and checks by its lock whether the program still runs.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "core/clocks.h"
#include "core/file_descriptor.h"
#include "report/recovery/ring_reader.h"
#include "report/report_words.h"

namespace ddm {
namespace {

// A read-only mapping, released at destruction.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status {};
    if (!fd_.valid() || fstat(fd_.get(), &status) != 0) {
      error_ = errno_text(errno);
    } else if (!S_ISREG(status.st_mode) || status.st_size == 0) {
      error_ = "is no ring file";
    } else {
      bytes_ = static_cast<std::size_t>(status.st_size);
      memory_ = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, fd_.get(), 0);
      if (memory_ == MAP_FAILED) error_ = errno_text(errno);
    }
  }
  ~MappedFile() {
    if (memory_ != MAP_FAILED) munmap(memory_, bytes_);
  }

  const std::string& error() const { return error_; }
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(memory_), bytes_};
  }

  bool locked_by_another() const {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return fcntl(fd_.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  }

 private:
  const FileDescriptor fd_;
  void* memory_ = MAP_FAILED;
  std::size_t bytes_ = 0;
  std::string error_;
};

std::string words_for(ProgramState state, std::int64_t updated_ms) {
  const std::string_view program = state == ProgramState::kRunning  ? "a running"
                                   : state == ProgramState::kKilled ? "a killed"
                                                                    : "an ended";
  const std::string as_of =
      updated_ms != 0 ? fmt::format(", as of {} UTC", utc_seconds(updated_ms)) : "";
  return fmt::format("ring file of {} program{}", program, as_of);
}

}  // namespace

Result<RecoveredRing> read_ring_file(const std::string& path) {
  const MappedFile file(path);
  if (!file.error().empty()) {
    return Error{path + (file.error().starts_with("is ") ? " " : ": ") + file.error()};
  }
  // Checked before reading: a program killed in between counts as running, and its file is
  // complete.
  const bool running = file.locked_by_another();
  auto ring = read_ring(file.bytes());
  if (!ring) return Error{path + " " + ring.message()};
  if (running) ring->state = ProgramState::kRunning;
  ReportSummary& summary = ring->data.summary;
  summary.reason = "recovered";
  summary.recovered = words_for(ring->state, ring->updated_ms);
  summary.written_ms = epoch_ms();
  const std::string& cut_off = ring->cut_off;
  if (!cut_off.empty()) summary.recovered += "; " + cut_off;
  if (!ring->data.sites.counted()) {
    summary.sites_missing = cut_off.empty() ? "the ring file has records only" : cut_off;
  }
  return ring;
}

Result<RingHead> read_ring_file_head(const std::string& path) {
  const MappedFile file(path);
  if (!file.error().empty()) return Error{path + ": " + file.error()};
  const bool running = file.locked_by_another();
  auto head = read_ring_head(file.bytes());
  if (head && running) head->state = ProgramState::kRunning;
  return head;
}

}  // namespace ddm
