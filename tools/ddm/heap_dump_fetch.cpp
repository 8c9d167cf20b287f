#include "heap_dump_fetch.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <memory>

#include "core/temporary_directory.h"

namespace ddm {
namespace {

constexpr const char* kStopped = "the heap dump could not be written";

Result<HeapDumpMade> fetch_whole(DdmClient& client, Progress& progress,
                                 const std::function<bool(std::string_view)>& sink) {
  client.on_progress([&progress](std::size_t bytes) { progress.show(bytes); });
  const auto answer = client.request({kHeapDumpStream, {}}, DdmClient::kLongWork);
  client.on_progress({});
  if (!answer) return answer.error();
  if (answer->type != kHeapDumpStream) return DdmClient::unexpected(*answer);
  if (!sink({reinterpret_cast<const char*>(answer->data.data()), answer->data.size()})) {
    return Error{kStopped};
  }
  HeapDumpMade made;
  made.bytes = answer->data.size();
  return made;
}

// The unlinked file itself: only this user can read it, for a dump has every password of a program.
Result<FileDescriptor> nameless_dump_file() {
  const std::string directory = temporary_directory();
  FileDescriptor file = nameless_file(directory);
  if (!file.valid()) return errno_error("a heap dump in " + directory);
  return file;
}

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

Result<HeapDumpMade> fetch_heap_dump(DdmClient& client, bool with_stacks, Progress& progress,
                                     const std::function<bool(std::string_view)>& sink) {
  if (!client.offers(kHeapDumpPiecesFeature)) return fetch_whole(client, progress, sink);
  using What = HeapDumpPieceRequest::What;
  const auto made = client.get<HeapDumpMade>(
      to_chunk(HeapDumpPieceRequest{with_stacks ? What::kMakeWithStacks : What::kMake}),
      DdmClient::kLongWork);
  if (!made) return made;
  std::uint64_t have = 0;
  while (have < made->bytes) {
    const auto piece =
        client.request(to_chunk(HeapDumpPieceRequest{What::kNextPiece}), DdmClient::kLongWork);
    if (!piece) return piece.error();
    if (piece->type != HeapDumpPieceRequest::kType || piece->data.empty()) {
      return DdmClient::unexpected(*piece);
    }
    have += piece->data.size();
    progress.show(have);
    if (!sink({reinterpret_cast<const char*>(piece->data.data()), piece->data.size()})) {
      return Error{kStopped};
    }
  }
  if (have == made->bytes) return *made;
  return Error{fmt::format("the target has sent {} bytes of a heap dump of {}", have, made->bytes)};
}

Result<FileDescriptor> fetch_nameless_heap_dump(DdmClient& client, bool with_stacks,
                                                Progress& progress) {
  auto file = nameless_dump_file();
  if (!file) return file;
  std::string problem;
  const auto made = fetch_heap_dump(client, with_stacks, progress, [&](std::string_view piece) {
    const int error = write_all(file->get(), piece);
    if (error != 0) problem = "a heap dump in " + temporary_directory() + ": " + errno_text(error);
    return error == 0;
  });
  if (!problem.empty()) return Error{problem + "; TMPDIR names another place"};
  if (!made) return made.error();
  return file;
}

}  // namespace ddm
