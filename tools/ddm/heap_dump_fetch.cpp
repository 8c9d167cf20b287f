#include "heap_dump_fetch.h"

#include "core/temporary_directory.h"
#include "dump_file.h"

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

}  // namespace

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
