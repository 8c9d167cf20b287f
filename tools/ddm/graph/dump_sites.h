// The allocation sites of a heap dump's objects, by class and stack, which common readers of heap
// dumps do not show.
//
// The dump is read twice and never held in memory: only the sites, and the file positions of names,
// frames and stacks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/dump_extent.h"
#include "graph/dump_names.h"
#include "site_figures.h"

namespace ddm {

class HeapGraph;
class RetainedSizes;

struct DumpSite {
  std::string class_name;
  std::vector<DumpFrame> stack;  // innermost first; empty: unknown
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::optional<std::int64_t> retained;  // retained bytes, if requested
};

// Identifies a site: equal stacks, and classes of one name from several loaders, are one site.
std::string site_key(const DumpSite& site);

struct SitesOfDump {
  std::vector<DumpSite> sites;  // most bytes first
  std::int64_t count = 0, bytes = 0;
  std::int64_t with_stack = 0, with_stack_bytes = 0;
  DumpExtent extent{};  // of the dump that was read

  void count_objects(DumpSite& of, std::int64_t objects, std::int64_t their_bytes, bool has_stack);
};

// `fd`: read by pread(). `progress`: called from time to time with the bytes read.
Result<SitesOfDump> read_dump_sites(int fd, const std::function<void(std::uint64_t)>& progress);

// The same with retained sizes, the largest first. Sites with equal keys are merged.
SitesOfDump sites_with_retained(HeapGraph& graph, const RetainedSizes& sizes,
                                const std::function<std::string(const DumpSite&)>& key_of);

// The figures for tables: sites with a known stack, or all of them, and their retained sizes if all
// have one.
SiteFigures figures_of(const SitesOfDump& dump, bool with_unknown = false);

}  // namespace ddm
