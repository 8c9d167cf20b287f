#include "graph/retained_sites.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "graph/retained_sizes.h"

namespace ddm {

SitesOfDump sites_with_retained(HeapGraph& graph,
                                const std::function<std::string(const DumpSite&)>& key_of) {
  SitesOfDump dump;
  std::vector<std::uint32_t> site_of(graph.size());
  struct Known {
    std::uint32_t number = 0;
    bool has_stack = false;
  };
  std::unordered_map<std::uint64_t, Known> known;  // by class and stack
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (ObjectNumber object = 0; object < graph.size(); ++object) {
    const std::uint32_t class_number = graph.class_of(object), trace = graph.trace_of(object);
    // Class objects are not allocated by a site: they belong to one that is not shown.
    const std::uint64_t key =
        graph.is_class(object) ? ~std::uint64_t{0} : std::uint64_t{class_number} << 32 | trace;
    const auto [found, inserted] = known.try_emplace(key);
    if (inserted) {
      DumpSite site;
      if (!graph.is_class(object)) {
        site.class_name = graph.class_name(class_number);
        site.stack = graph.names().stack(trace);
      }
      const bool has_stack = !site.stack.empty();
      const auto [site_number, new_site] =
          numbers.try_emplace(key_of(site), static_cast<std::uint32_t>(dump.sites.size()));
      if (new_site) dump.sites.push_back(std::move(site));
      found->second = {site_number->second, has_stack};
    }
    site_of[object] = found->second.number;
    DumpSite& site = dump.sites[found->second.number];
    if (graph.is_class(object)) continue;
    const auto bytes = static_cast<std::int64_t>(graph.bytes_of(object));
    ++site.count;
    site.bytes += bytes;
    ++dump.count;
    dump.bytes += bytes;
    if (!found->second.has_stack) continue;
    ++dump.with_stack;
    dump.with_stack_bytes += bytes;
  }
  const std::vector<std::uint64_t> retained =
      RetainedSizes(graph).by_group(site_of, dump.sites.size());
  for (std::size_t i = 0; i < retained.size(); ++i) {
    dump.sites[i].retained = static_cast<std::int64_t>(retained[i]);
  }
  std::erase_if(dump.sites, [](const DumpSite& site) { return site.count == 0; });
  std::sort(dump.sites.begin(), dump.sites.end(), [](const DumpSite& a, const DumpSite& b) {
    return std::tuple(-*a.retained, -a.bytes, a.class_name) <
           std::tuple(-*b.retained, -b.bytes, b.class_name);
  });
  return dump;
}

}  // namespace ddm
