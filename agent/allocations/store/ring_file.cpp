#include "allocations/store/ring_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "allocations/store/ring_path.h"
#include "core/file_descriptor.h"
#include "core/new_file.h"
#include "core/random_number.h"
#include "core/whole_text.h"

namespace ddm {
namespace {

constexpr std::uint64_t kNamesHalfBytes = 8u << 20;
constexpr std::uint64_t kSmallestThreadsHalfBytes = 64u << 10;
constexpr std::uint64_t kThreadNameBytes = 32;  // reserved per record
constexpr std::uint64_t kPage = 4096;
constexpr int kTries = 5;

constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

// The lock belongs to the open file, not to the process: a second mapping of the file in this
// process does not release it, and a forked child that keeps the descriptor holds it too.
bool lock_whole_file(int fd) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

// 0 or errno. Signals may interrupt the allocation of many pages.
int allocate(int fd, std::uint64_t bytes) {
  int error = EINTR;
  for (int i = 0; i < kTries && error == EINTR; ++i) {
    error = posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  }
  return error;
}

std::uint64_t bytes_of_file(const RingHeader& header) {
  const std::uint64_t sites = header.sites > 0 ? SiteCopy::bytes_of(header.sites, header.books) : 0;
  return whole_pages(header.sites_at() + sites);
}

bool is_same_file(int fd, const std::string& path) {
  struct stat open_one {
  }, named{};
  return fstat(fd, &open_one) == 0 && lstat(path.c_str(), &named) == 0 &&
         open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev;
}

// `what` is replaced where it is a word: a pid of one digit may be part of a name or a number.
std::string with_replaced(std::string text, std::string_view what, std::string_view by) {
  const auto goes_on = [&](std::size_t i) { return i < text.size() && std::isalnum(text[i]) != 0; };
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos;) {
    const bool word = (at == 0 || !goes_on(at - 1)) && !goes_on(at + what.size());
    if (word) text.replace(at, what.size(), by);
    at += word ? by.size() : what.size();
  }
  return text;
}

// Removes what killed processes have left of files that they were making: PATH.PID.new without a
// lock, and where PATH's name has this process's pid in it (%p), the same with theirs.
void remove_half_made(const RingFileRequest& request) {
  constexpr std::string_view kEnding = ".new";
  const std::string directory = directory_of(request.path);
  const std::string name = request.path.substr(request.path.rfind('/') + 1);  // npos + 1 = 0
  for (const std::string& left : names_in(directory)) {
    if (!left.ends_with(kEnding)) continue;
    const std::string_view whole = std::string_view(left).substr(0, left.size() - kEnding.size());
    const std::size_t dot = whole.rfind('.');
    if (dot == std::string_view::npos || !number_in<std::uint64_t>(whole.substr(dot + 1))) continue;
    const std::string_view of = whole.substr(0, dot), pid = whole.substr(dot + 1);
    if (of != name && of != with_replaced(name, std::to_string(request.pid), pid)) continue;
    const std::string path = directory + "/" + left;
    const FileDescriptor fd(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (fd.valid() && fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_uid == geteuid() && lock_whole_file(fd.get()) && is_same_file(fd.get(), path)) {
      unlink(path.c_str());
    }
  }
}

// A new, locked file beside request.path; `name` becomes its path.
Result<FileDescriptor> new_locked_file(const RingFileRequest& request, std::string& name) {
  constexpr std::uint64_t kNumbers = 1'000'000'000;
  auto number = static_cast<std::uint64_t>(request.pid);
  for (int i = 0; i < kTries; ++i) {
    name = fmt::format("{}.{}.new", request.path, number);
    FileDescriptor fd(
        open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!fd.valid() && errno != EEXIST) break;
    if (fd.valid() && lock_whole_file(fd.get())) {
      if (is_same_file(fd.get(), name)) return fd;
    } else if (fd.valid() && errno != EAGAIN && errno != EACCES) {
      const int error = errno;
      unlink(name.c_str());
      return Error{fmt::format("cannot lock {}: {}", name, errno_text(error))};
    }
    // A process of the same pid in another container makes it, or another one has taken it for a
    // file that was left behind, before it was locked.
    number = random_number().value_or(number + 1) % kNumbers;
  }
  return Error{fmt::format("cannot create {}: {}", name, errno_text(errno))};
}

// Frees the name if it belongs to a ring file that no process uses any more.
std::string free_the_name(const std::string& path, RingFile::Created& result) {
  for (int i = 0; i < kTries; ++i) {
    const FileDescriptor fd(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd.valid()) {
      if (errno == ENOENT) return "";
      return fmt::format("{}: {}", path, errno_text(errno));
    }
    struct stat status {};
    if (fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
      return fmt::format("{} is not a regular file", path);
    }
    RingHeader header;
    if (pread(fd.get(), &header, sizeof header, 0) != sizeof header || header.magic != kRingMagic) {
      return fmt::format("{} is there already and is no ring file", path);
    }
    if (!lock_whole_file(fd.get())) {
      result.in_use = true;
      return fmt::format("{} is in use by process {}", path, header.pid);
    }
    if (!is_same_file(fd.get(), path)) continue;  // another process has just freed the name
    RingState state{};
    constexpr off_t kStateAt = kRingMarksAt + offsetof(RingMarks, state);
    const bool ended = pread(fd.get(), &state, sizeof state, kStateAt) == sizeof state &&
                       state == RingState::kEnded;
    const std::string old = path + ".old";
    if ((ended ? unlink(path.c_str()) : rename(path.c_str(), old.c_str())) != 0) {
      return fmt::format("{}: {}", path, errno_text(errno));
    }
    if (!ended) result.kept_as = old;
    return "";
  }
  return fmt::format("{} is in use", path);
}

}  // namespace

std::uint32_t ring_checksum(RingHeader header) {
  header.checksum = 0;
  std::uint32_t hash = 0x811C9DC5;
  const auto bytes = std::bit_cast<std::array<unsigned char, sizeof header>>(header);
  for (const unsigned char byte : std::span(bytes).first(ring_header_bytes(header.version))) {
    hash = (hash ^ byte) * 0x01000193;
  }
  return hash;
}

RingHeader ring_header(std::uint32_t records, std::uint32_t depth, std::uint32_t nodes) {
  RingHeader header;
  header.records = records;
  header.depth = depth;
  header.slot_bytes = static_cast<std::uint32_t>(RingSlots::adjacent_bytes(depth));
  header.record_bytes = sizeof(AllocRecord);
  header.names_at = kRingHeadBytes;
  header.names_half_bytes = kNamesHalfBytes;
  header.threads_at = header.names_at + whole_pages(sizeof(NameSection) + 2 * kNamesHalfBytes);
  header.threads_half_bytes =
      std::max(kSmallestThreadsHalfBytes, whole_pages(records * kThreadNameBytes));
  header.slots_at =
      header.threads_at + whole_pages(sizeof(NameSection) + 2 * header.threads_half_bytes);
  header.nodes = nodes;
  header.frames = std::min(nodes, FrameNumbers::kNone);
  header.nodes_at = whole_pages(header.slots_at + std::uint64_t{records} * header.slot_bytes);
  header.frames_at = whole_pages(header.nodes_at + nodes * sizeof(TreeCopy::Node));
  header.sites = nodes / 5;
  header.books = nodes == 0 ? 0 : SiteCopy::kBooks;
  header.file_bytes = bytes_of_file(header);
  return header;
}

RingFile::Created RingFile::create(const RingFileRequest& request) {
  Created result;
  const std::string& path = request.path;
  const std::string directory = directory_of(path);
  const auto fail = [&](std::string why) {
    result.error = std::move(why);
    return std::move(result);
  };
  const auto medium = ring_medium(directory);
  if (!medium) return fail(fmt::format("{}: {}", directory, errno_text(errno)));
  if (*medium == RingMedium::kUnsafe) {
    return fail(
        fmt::format("the file system of {} does not keep room that was promised", directory));
  }

  // The file is created under a temporary name, and renamed once it is complete and locked.
  remove_half_made(request);
  std::string fresh;
  auto fd = new_locked_file(request, fresh);
  if (!fd) return fail(fd.message());
  const auto fail_and_remove = [&](std::string why) {
    unlink(fresh.c_str());
    return fail(std::move(why));
  };
  RingHeader header = ring_header(request.records, request.depth,
                                  request.stacks > 0 ? CallTree::most_of(request.stacks) : 0);
  header.pid = request.pid;
  header.created_ms = request.now_ms;
  if (!request.sites) {
    header.sites = header.books = 0;
    header.file_bytes = bytes_of_file(header);
  }
  header.checksum = ring_checksum(header);
  if (const int error = allocate(fd->get(), header.file_bytes)) {
    return fail_and_remove(fmt::format("no room for the {} MB of {}: {}",
                                       (header.file_bytes >> 20) + 1, path, errno_text(error)));
  }
  void* memory = mmap(nullptr, header.file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                      fd->get(), 0);
  if (memory == MAP_FAILED) {
    return fail_and_remove(fmt::format("cannot map {}: {}", path, errno_text(errno)));
  }
  std::unique_ptr<RingFile> file(
      new RingFile(path, fd->release(), static_cast<std::byte*>(memory), header));
  const std::string taken = free_the_name(path, result);
  if (!taken.empty()) return fail_and_remove(taken);
  if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0) {
    const int error = errno;
    return fail_and_remove(error == EEXIST
                               ? fmt::format("{} is in use by another program", path)
                               : fmt::format("cannot create {}: {}", path, errno_text(error)));
  }
  result.file = std::move(file);
  return result;
}

RingFile::RingFile(std::string path, int fd, std::byte* memory, const RingHeader& header)
    : path_(std::move(path)),
      fd_(fd),
      memory_(memory),
      header_(header),
      marks_(*new (memory + kRingMarksAt) RingMarks) {
  new (memory + header.names_at) NameSection;
  new (memory + header.threads_at) NameSection;
  std::memcpy(memory, &header, sizeof header);
}

RingFile::~RingFile() {
  copy(nullptr);
  munmap(memory_, header_.file_bytes);
  if (fd_ >= 0) close(fd_);
}

std::unique_ptr<AllocRing> RingFile::ring() {
  return AllocRing::over_memory(marks_.counters,
                                reinterpret_cast<RingSlot::Word*>(memory_ + header_.slots_at),
                                header_.records, header_.depth);
}

NameLog RingFile::log_at(std::uint64_t offset, std::uint64_t half_bytes) {
  std::byte* const section = memory_ + offset;
  return {*reinterpret_cast<NameSection*>(section), section + sizeof(NameSection), half_bytes};
}

// A thread may still add nodes to the former tree.
bool RingFile::copy(std::shared_ptr<Sites> sites) {
  if (copied_) {
    const auto held = copied_->hold();
    copied_->traces().copy_to({});
    copied_->copy() = {};
  }
  copied_ = nullptr;
  if (sites == nullptr || sites->traces().most() > header_.nodes) return false;
  copied_ = std::move(sites);
  CallTree& tree = copied_->traces();
  const auto held = copied_->hold();
  if (header_.sites > 0) {
    copied_->copy() = {memory_ + header_.sites_at(), header_.sites, header_.books};
    copied_->copy().clear(tree.id());
  }
  marks_.tree.store(tree.id(), std::memory_order_release);
  tree.copy_to(
      {{reinterpret_cast<TreeCopy::Node*>(memory_ + header_.nodes_at), header_.nodes},
       {reinterpret_cast<TreeCopy::FrameWord*>(memory_ + header_.frames_at), header_.frames}});
  return true;
}

void RingFile::write_facts(const RingFacts& facts) {
  const std::uint64_t turn = marks_.facts_turn.load(std::memory_order_relaxed) + 1;
  std::memcpy(memory_ + kRingFactsAt + turn % 2 * sizeof(RingFacts), &facts, sizeof facts);
  marks_.facts_turn.store(turn, std::memory_order_release);
}

void RingFile::remove() {
  if (header_.pid != getpid()) return;  // a forked child
  marks_.state.store(RingState::kEnded);
  if (fd_ < 0) return;
  if (is_same_file(fd_, path_)) unlink(path_.c_str());
  // A program that embeds the VM may continue. The memory stays mapped: threads may still store.
  close(std::exchange(fd_, -1));
}

}  // namespace ddm
