// What reads heap dumps: the sites of one, what holds its objects, and the rewriting of one with stacks. An input is a
// whole dump; one that does not begin like a dump is put behind a good header.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "graph/dump_sites.h"
#include "graph/retained_sizes.h"
#include "graph/root_paths.h"
#include "report/hprof/hprof_heap_text.h"
#include "report/hprof/hprof_sites_dump.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int fd = memfd_create("dump", MFD_CLOEXEC);
  const std::string head("JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\0\0\0\0\0\0", 31);
  std::string dump(reinterpret_cast<const char*>(data), size);
  if (!dump.starts_with("JAVA")) dump = head + dump;
  if (ftruncate(fd, 0) != 0 || pwrite(fd, dump.data(), dump.size(), 0) < 0) return 0;

  const auto nowhere = [](std::string_view) { return true; };
  const auto sites = ddm::read_dump_sites(fd, [](std::uint64_t) {});
  if (sites) ddm::figures_of(*sites);
  if (auto graph = ddm::HeapGraph::read(fd, [](std::uint64_t) {})) {
    std::vector<ddm::ObjectNumber> all(graph->size());
    std::iota(all.begin(), all.end(), 0);
    ddm::RootPaths(*graph).of(all);
    ddm::sites_with_retained(*graph, ddm::RetainedSizes(*graph), ddm::site_key);
  }
  ddm::hprof_heap_text(fd, {}, 0, nowhere);

  ddm::DumpSites with;
  const ddm::NameTable names;
  auto traces = ddm::CallTree::create(16, 4);
  const ddm::Frame frames[] = {{1, 2}, {3, 4}};
  const ddm::TraceNumber trace = traces->number_of(frames);
  with.stacks.traces = std::move(traces);
  with.stacks.names = &names;
  for (std::uint64_t handle = 8; handle < 256; handle += 8) with.objects.add(handle, trace);
  if (size % 2 == 1) {  // as a part of a stream
    with.stacks.number = [](std::span<const ddm::Frame> stack, ddm::ReportNames&) {
      return static_cast<std::uint32_t>(stack.size());
    };
  }
  ddm::write_sites_dump(fd, with, nowhere, [](std::uint64_t) {});
  return 0;
}
