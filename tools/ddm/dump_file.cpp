#include "dump_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <memory>

#include "core/temporary_directory.h"

namespace ddm {
namespace {

bool is_packed(int fd) {
  std::array<unsigned char, 2> magic{};
  return pread(fd, magic.data(), magic.size(), 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

Result<FileDescriptor> unpacked(const FileDescriptor& packed,
                                const std::function<void(std::uint64_t)>& progress) {
  auto file = nameless_dump_file();
  if (!file) return file;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzdopen(dup(packed.get()), "rb"), gzclose);
  if (!in) return Error{"no memory to unpack it"};
  std::string piece(std::size_t{1} << 20, '\0');
  for (std::uint64_t sum = 0;;) {
    const int got = gzread(in.get(), piece.data(), static_cast<unsigned>(piece.size()));
    // What was cut ends like a whole file, but for the error.
    int error = Z_OK;
    gzerror(in.get(), &error);
    if (got < 0 || error == Z_BUF_ERROR) {
      return Error{error == Z_BUF_ERROR ? "it is cut: the end of what is packed in it is missing"
                                        : "what is packed in it is damaged"};
    }
    if (got == 0) return file;
    sum += static_cast<std::uint64_t>(got);
    progress(sum);
    const int problem = write_all(file->get(), {piece.data(), static_cast<std::size_t>(got)});
    if (problem != 0) {
      return Error{"cannot be unpacked in " + temporary_directory() + ": " + errno_text(problem) +
                   "; TMPDIR names another place"};
    }
  }
}

}  // namespace

Result<FileDescriptor> open_dump_file(const std::string& path,
                                      const std::function<void(std::uint64_t)>& progress) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return Error{errno_text(errno)};
  if (!is_packed(file.get())) return file;
  return unpacked(file, progress);
}

Result<FileDescriptor> nameless_dump_file() {
  const std::string directory = temporary_directory();
  FileDescriptor file = nameless_file(directory);
  if (!file.valid()) return errno_error("a heap dump in " + directory);
  return file;
}

}  // namespace ddm
