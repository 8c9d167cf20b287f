// ddm sites: where the objects of a heap dump were allocated.
#include <algorithm>
#include <functional>

#include "command.h"
#include "graph/dump_sites.h"
#include "graph/heap_graph.h"
#include "graph/retained_sizes.h"
#include "heap_dump_fetch.h"
#include "json_values.h"
#include "report/report_words.h"
#include "site_rows.h"

namespace ddm {
namespace {

struct SitesOptions {
  std::string path;
  std::string by = "site";
  std::size_t top = 25;
  bool json = false;
  bool retained = false;
};

void print_json_rows(const SitesOfDump& dump) {
  print("{{\"count\":{},\"bytes\":{},\"with_stack_count\":{},\"with_stack_bytes\":{},\"rows\":[",
        dump.count, dump.bytes, dump.with_stack, dump.with_stack_bytes);
  std::string_view before = "\n";
  for (const DumpSite& site : dump.sites) {
    Json stack = json_list(site.stack, [](const DumpFrame& frame) -> Json {
      return {{"class", json_text(frame.name.class_name)},
              {"method", json_text(frame.name.method)},
              {"signature", json_text(frame.signature)},
              {"file", json_text(frame.name.file)},
              {"line", frame.name.line}};
    });
    Json row = {{"class", json_text(site.class_name)},
                {"count", site.count},
                {"bytes", site.bytes},
                {"stack", std::move(stack)}};
    if (site.retained) row["retained_bytes"] = *site.retained;
    print(std::string(before) + row.dump());
    before = ",\n";
  }
  print("\n]}\n");
}

// The sites of one row are merged before retained sizes are computed: their objects may hold each
// other. `parts`: of the rows of sites the parts by the first frame outside the JDK.
Result<SitesOfDump> read_with_retained(
    int fd, const SitesOptions& options, SiteFigures& parts,
    const std::function<void(std::uint64_t)>& progress_callback) {
  auto graph = HeapGraph::read(fd, progress_callback);
  if (!graph) return graph.error();
  const RetainedSizes sizes(*graph);
  const bool by_site = options.by == "site" && !options.json;
  const auto key_of = [&](const DumpSite& site, bool with_app) {
    const auto row = figures_of({{site}, 0, 0, 0, 0});
    if (options.json || row.sites.empty()) return site_key(site);
    const SiteFigure& figure = row.sites.front();
    std::string key = figure.class_name;
    if (by_site) key += "\n" + frame_text(figure.at);
    if (with_app) key += "\n" + frame_text(figure.app);
    return key;
  };
  if (by_site) {
    parts = figures_of(sites_with_retained(
        *graph, sizes, [&](const DumpSite& site) { return key_of(site, true); }));
  }
  return sites_with_retained(
      *graph, sizes, [&](const DumpSite& site) { return key_of(site, options.by == "app"); });
}

int sites(const SitesOptions& options) {
  Progress progress("sites");
  const auto progress_callback = [&](std::uint64_t bytes) { progress.show(bytes); };
  const auto file = open_dump_file(options.path, progress_callback);
  if (!file) return refuse(options.path + ": " + file.message());
  SiteFigures parts;
  const auto dump = options.retained
                        ? read_with_retained(file->get(), options, parts, progress_callback)
                        : read_dump_sites(file->get(), progress_callback);
  if (!dump) return refuse(options.path + ": " + dump.message());
  progress.clear();
  if (const std::string which = which_dump(dump->extent); !which.empty()) {
    complain(options.path + ": " + which);
  }
  if (options.json) {
    print_json_rows(*dump);
    return kExitOk;
  }
  print_sentence(fmt::format("{} objects, {}; the allocation of {}, {}, is known",
                             grouped(dump->count), human_bytes(dump->bytes),
                             grouped(dump->with_stack), human_bytes(dump->with_stack_bytes)));
  if (dump->with_stack == 0 && options.by != "class") {
    print_sentence(
        "for that the dump is made with `ddm dump PID -o FILE --sites` while live= is on, which "
        "follows what is allocated from then on");
    return kExitOk;
  }
  auto rows = rows_of(figures_of(*dump, options.by == "class"), *rows_by(options.by));
  if (options.retained) {
    name_retaining_apps(rows, parts);
    std::ranges::stable_sort(rows, std::greater<>(), &SiteRow::retained);
  }
  print_rows(rows, *rows_by(options.by), options.top,
             options.retained ? Columns::kRetained : Columns::kFigures);
  return kExitOk;
}

}  // namespace

void add_sites(CLI::App& app, Command& chosen) {
  const auto [command, options] = add_command(
      app, chosen, "sites", "Show the allocation sites of a heap dump's objects", sites);
  require(add_text(command, "DUMP", options.path, "A heap dump (hprof, also .gz)"));
  add_row_options(command, options.by, options.top);
  add_flag(command, "--retained", options.retained,
           "With retained sizes: the objects and all that is reachable only through them");
  add_flag(command, "--json", options.json,
           "All: {count, bytes, with_stack_count, with_stack_bytes, rows: [{class, count, bytes, "
           "stack; retained_bytes}]}");
}

}  // namespace ddm
