// The sites of a heap dump with what their objects hold.
#pragma once

#include "graph/dump_sites.h"
#include "graph/heap_graph.h"

namespace ddm {

// Those that hold most first. `look`: sites that it says the same of are one.
SitesOfDump sites_with_retained(HeapGraph& graph,
                                const std::function<std::string(const DumpSite&)>& look);

}  // namespace ddm
