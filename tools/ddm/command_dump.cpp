// ddm dump: a heap dump of a program, as a file on this side.
#include <sys/stat.h>

#include "command.h"
#include "ddm/heap_dump.h"
#include "ddm_client.h"
#include "output.h"
#include "records/report.h"
#include "records/report_words.h"
#include "target.h"

namespace ddm {
namespace {

int dump(const std::string& target, const std::string& path, bool force) {
  struct stat there {};
  if (!force && lstat(path.c_str(), &there) == 0) {
    return refuse(path + " is there already; --force replaces it");
  }
  const auto address = find_target(target);
  if (!address) return refuse(address.message());
  auto client = DdmClient::connect(*address);
  if (!client) return refuse(client.message());
  Progress progress("heap dump");
  client->on_progress([&progress](std::size_t bytes) { progress.show(bytes); });
  const auto answer = client->request({kHeapDumpStream, {}}, DdmClient::kLongWork);
  if (!answer) return refuse(answer.message());
  if (answer->type != kHeapDumpStream) return refuse(DdmClient::unexpected(*answer).message);
  umask(S_IRWXG | S_IRWXO);  // every password of the program is in there
  const std::string_view bytes(reinterpret_cast<const char*>(answer->data.data()),
                               answer->data.size());
  const std::string problem = write_report_file(path, bytes);
  if (!problem.empty()) return refuse(problem);
  print(fmt::format("{} written to {}\n", human_bytes(static_cast<std::int64_t>(bytes.size())),
                    path));
  return kExitOk;
}

}  // namespace

void add_dump(CLI::App& app, Command& chosen) {
  struct DumpOptions {
    std::string target;
    std::string path;
    bool force = false;
  };
  CLI::App* command = app.add_subcommand("dump", "Write a heap dump (hprof)");
  auto options = std::make_shared<DumpOptions>();
  command->add_option("PID", options->target, kTargetHelp)->required();
  command->add_option("-o", options->path, "The file to write")->required()->type_name("FILE");
  command->add_flag("-f,--force", options->force, "Replace the file if it is there already");
  command->callback([options, &chosen] {
    chosen = [options] { return dump(options->target, options->path, options->force); };
  });
}

}  // namespace ddm
