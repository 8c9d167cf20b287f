// ddm paths: the paths from GC roots to the objects of a class, in a heap dump or in a program.
#include <unistd.h>

#include "command.h"
#include "graph/object_choice.h"
#include "graph/root_paths.h"
#include "heap_dump_fetch.h"
#include "json_values.h"
#include "path_text.h"
#include "report/report_words.h"
#include "site_figures.h"

namespace ddm {
namespace {

struct PathsOptions : TargetOptions {
  std::string class_name;
  std::size_t top = 10;
};

// The name of an existing file is a dump; anything else names a program.
Result<FileDescriptor> open_dump(const PathsOptions& options) {
  if (access(options.target.c_str(), F_OK) == 0) {
    Progress progress("unpacking");
    auto file = open_dump_file(options.target, [&](auto bytes) { progress.show(bytes); });
    if (!file) return Error{options.target + ": " + file.message()};
    return file;
  }
  auto client = connect_to_target(options.target);
  if (!client) return client.error();
  Progress progress("heap dump");
  return fetch_nameless_heap_dump(*client, false, progress);
}

int paths(const PathsOptions& options) {
  // The only program is meant, so it seems, and would be stopped for a dump.
  const bool is_dump = options.class_name.ends_with(".hprof") ||
                       options.class_name.ends_with(".hprof.gz") ||
                       options.class_name.find('/') != std::string::npos;
  if (options.target.empty() && is_dump) {
    return bad_command_line("CLASS is missing", "paths");
  }
  const auto file = open_dump(options);
  if (!file) return refuse(file.message());
  Progress progress("reading the heap dump");
  auto graph = HeapGraph::read(file->get(), [&](auto bytes) { progress.show(bytes); });
  if (!graph) return refuse(options.target + ": " + graph.message());
  if (const std::string which = which_dump(graph->extent()); !which.empty()) {
    complain(options.target + ": " + which);
  }
  const auto chosen = choose_class(*graph, options.class_name);
  if (!chosen) return refuse(chosen.message());
  RootPaths ways(*graph);
  const std::vector<RootPath> found = ways.of(chosen->objects);
  const std::uint64_t retained = ways.retained_by(chosen->objects);
  progress.clear();
  std::uint64_t bytes = 0;
  for (const ObjectNumber object : chosen->objects) bytes += graph->bytes_of(object);
  if (options.json) {
    return print_json({{"class", json_text(chosen->name)},
                       {"count", chosen->objects.size()},
                       {"bytes", bytes},
                       {"retained_bytes", retained},
                       {"paths", paths_json(found)}});
  }
  const auto count = static_cast<std::int64_t>(chosen->objects.size());
  print_sentence(fmt::format("{} of {}, {}; with all that they alone hold {}",
                             counted(count, "object"), chosen->name, human_bytes(bytes),
                             human_bytes(retained)));
  print_paths(found, options.top, count);
  return kExitOk;
}

}  // namespace

void add_paths(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "paths",
                  "Show the paths from GC roots to the objects of a class (heap dump)", paths);
  require(add_text(command, "PID", options.target,
                   std::string(kTargetHelp) + "; or a heap dump (hprof, also .gz)"));
  require(add_text(command, "CLASS", options.class_name,
                   "shop.Session, or Session if the name is unique; byte[]"));
  add_top(command, options.top, "Number of paths to show");
  add_flag(command, "--json", options.json,
           "All: {class, count, bytes, retained_bytes, paths: [{root, kind, via, count}]}");
}

}  // namespace ddm
