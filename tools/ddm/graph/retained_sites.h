// The sites of a heap dump with their retained sizes.
#pragma once

#include "graph/dump_sites.h"
#include "graph/heap_graph.h"

namespace ddm {

// The largest retained size first. Sites with equal keys are merged.
SitesOfDump sites_with_retained(HeapGraph& graph,
                                const std::function<std::string(const DumpSite&)>& key_of);

}  // namespace ddm
