// What a heap dump says of where its objects were allocated: by class and stack, for people whose
// reader of heap dumps does not show it.
//
// The dump is read twice and never held: in memory are the sites, and where in the file its names,
// frames and stacks stand.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/dump_names.h"
#include "site_figures.h"

namespace ddm {

struct DumpSite {
  std::string class_name;
  std::vector<DumpFrame> stack;  // innermost first; empty: not known
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::optional<std::int64_t> retained;  // what they hold, if that was asked for
};

// Stacks that look the same are of one site, and so are classes of several loaders.
std::string look_of(const DumpSite& site);

struct SitesOfDump {
  std::vector<DumpSite> sites;  // most bytes first
  std::int64_t count = 0, bytes = 0;
  std::int64_t with_stack = 0, with_stack_bytes = 0;
};

// `fd`: read with offsets. `progress`: told of the bytes that were read, now and then.
Result<SitesOfDump> read_dump_sites(int fd, const std::function<void(std::uint64_t)>& progress);

// As tables need them: those whose stack is known, and with what they hold all.
SiteFigures figures_of(const SitesOfDump& dump);

}  // namespace ddm
