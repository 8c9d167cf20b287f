// ddm dump: a heap dump of a program, as a file on this side.
#include <sys/stat.h>

#include <algorithm>

#include "command.h"
#include "ddm_client.h"
#include "output.h"
#include "report/report.h"
#include "report/report_words.h"
#include "target.h"
#include "wire/chunks/heap_dump.h"
#include "wire/chunks/hello.h"

namespace ddm {
namespace {

struct DumpOptions {
  std::string target;
  std::string path;
  bool force = false;
  bool sites = false;
};

// As one answer: of DDM servers that are not ours.
std::string save_whole(DdmClient& client, const std::string& path, std::uint64_t& size) {
  const auto answer = client.request({kHeapDumpStream, {}}, DdmClient::kLongWork);
  if (!answer) return answer.message();
  if (answer->type != kHeapDumpStream) return DdmClient::unexpected(*answer).message;
  size = answer->data.size();
  return write_report_file(
      path, {reinterpret_cast<const char*>(answer->data.data()), answer->data.size()});
}

std::string save_in_pieces(DdmClient& client, const std::string& path, const HeapDumpMade& made,
                           Progress& progress) {
  std::string problem;
  std::uint64_t have = 0;
  const std::string unwritten = write_report_file(path, [&](const ReportSink& sink) {
    while (have < made.bytes) {
      const auto piece =
          client.request(to_chunk(HeapDumpPieceRequest{HeapDumpPieceRequest::What::kNextPiece}),
                         DdmClient::kLongWork);
      if (!piece) problem = piece.message();
      if (piece && (piece->type != HeapDumpPieceRequest::kType || piece->data.empty())) {
        problem = DdmClient::unexpected(*piece).message;
      }
      if (!problem.empty()) return false;
      have += piece->data.size();
      progress.show(have);
      const auto* bytes = reinterpret_cast<const char*>(piece->data.data());
      if (!sink({bytes, piece->data.size()})) return false;
    }
    if (have != made.bytes) {
      problem = fmt::format("the target has sent {} bytes of a heap dump of {}", have, made.bytes);
    }
    return problem.empty();
  });
  return problem.empty() ? unwritten : problem;
}

int dump(const DumpOptions& options) {
  const std::string& path = options.path;
  struct stat there {};
  if (!options.force && lstat(path.c_str(), &there) == 0) {
    return refuse(path + " is there already; --force replaces it");
  }
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  const auto features = client->get<Features>({Features::kType, {}});
  const bool in_pieces =
      features && std::ranges::count(features->names, kHeapDumpPiecesFeature) > 0;
  if (options.sites && !in_pieces) {
    return refuse("the target does not know where its objects were allocated");
  }
  umask(S_IRWXG | S_IRWXO);  // every password of the program is in there
  Progress progress("heap dump");
  HeapDumpMade made;
  std::string problem;
  if (in_pieces) {
    using What = HeapDumpPieceRequest::What;
    const What what = options.sites ? What::kMakeWithStacks : What::kMake;
    const auto answer = client->request(to_chunk(HeapDumpPieceRequest{what}), DdmClient::kLongWork);
    if (!answer) return refuse(answer.message());
    const auto decoded = HeapDumpMade::decode(answer->data);
    if (answer->type != HeapDumpMade::kType || !decoded) {
      return refuse(DdmClient::unexpected(*answer).message);
    }
    made = *decoded;
    problem = save_in_pieces(*client, path, made, progress);
  } else {
    client->on_progress([&progress](std::size_t bytes) { progress.show(bytes); });
    problem = save_whole(*client, path, made.bytes);
  }
  if (!problem.empty()) return refuse(problem);
  progress.clear();
  print("{} written to {}\n", human_bytes(static_cast<std::int64_t>(made.bytes)), path);
  if (!made.no_stacks.empty()) {
    print_sentence("without the stacks of allocations: " + made.no_stacks);
  } else if (options.sites) {
    print_sentence(
        fmt::format("{} objects have the stack of their allocation; `ddm sites {}` shows them",
                    grouped(static_cast<std::int64_t>(made.with_stack)), path));
  }
  return kExitOk;
}

}  // namespace

void add_dump(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "dump", "Write a heap dump (hprof)", dump);
  command.add_option("PID", options.target, kTargetHelp)->required();
  command.add_option("-o", options.path, "The file to write")->required()->type_name("FILE");
  command.add_flag("--sites", options.sites,
                   "With the stack of each object's allocation (those that live= follows)");
  command.add_flag("-f,--force", options.force, "Replace the file if it is there already");
}

}  // namespace ddm
