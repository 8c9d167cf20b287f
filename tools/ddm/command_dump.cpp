// ddm dump: a heap dump of a program, as a file on this side.
#include <sys/stat.h>

#include "command.h"
#include "heap_dump_fetch.h"
#include "interrupt.h"
#include "json_values.h"
#include "report/report.h"
#include "report/report_words.h"

namespace ddm {
namespace {

struct DumpOptions {
  std::string target;
  std::string path;
  bool force = false;
  bool sites = false;
  bool json = false;
};

int dump(const DumpOptions& options) {
  const std::string& path = options.path;
  if (path == "-") return misused("-o: a heap dump is written to a file, not to stdout");
  struct stat there {};
  if (!options.force && lstat(path.c_str(), &there) == 0) {
    return refuse(path + " is there already; --force replaces it");
  }
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  if (options.sites && !client->offers(kHeapDumpPiecesFeature)) {
    return refuse("the target does not know where its objects were allocated");
  }
  umask(S_IRWXG | S_IRWXO);  // the dump contains every password of the program
  catch_interrupts();        // so that no half of it stays behind
  client->cancel_when(interrupted);
  Progress progress("heap dump");
  HeapDumpMade made;
  std::optional<Error> problem;
  const auto unwritten = write_report_file(path, [&](const ReportSink& sink) {
    bool written = true;
    const auto fetched = fetch_heap_dump(*client, options.sites, progress, [&](auto piece) {
      return !interrupted() && (written = sink(piece));
    });
    if (fetched) made = *fetched;
    if (!fetched && written) problem = fetched.error();
    return fetched.ok();
  });
  if (!problem) problem = unwritten;
  if (problem && interrupted()) return refuse("interrupted; " + path + " is not written");
  if (problem) return refuse(problem->message);
  progress.clear();
  const std::string lacks =
      made.no_stacks.empty() ? "" : "without the stacks of allocations: " + made.no_stacks;
  if (options.json) {
    if (!lacks.empty()) complain(lacks);
    Json written = {{"file", json_text(path)}, {"bytes", made.bytes}};
    if (options.sites) written["with_stack"] = made.with_stack;
    return print_json(written);
  }
  print("{} written to {}\n", human_bytes(made.bytes), path);
  if (!lacks.empty()) {
    print_sentence(lacks);
  } else if (options.sites && made.with_stack == 0) {
    print("no object of those that live= follows was alive\n");
  } else if (options.sites) {
    print_sentence(
        fmt::format("{} objects have the stack of their allocation; `ddm sites {}` shows them",
                    grouped(made.with_stack), path));
  }
  return kExitOk;
}

}  // namespace

void add_dump(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "dump", "Write a heap dump (hprof)", dump);
  add_text(command, "PID", options.target, kTargetHelp);
  require(add_file(command, "-o", options.path, "The file to write"));
  add_flag(command, "--sites", options.sites,
           "With the allocation stack of each object that live= follows");
  add_flag(command, "-f,--force", options.force, "Overwrite an existing file");
  add_flag(command, "--json", options.json,
           "{file, bytes}; with --sites also with_stack: the objects that have one");
}

}  // namespace ddm
