#include "graph/dump_sites.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "graph/dump_sizes.h"
#include "graph/heap_graph.h"
#include "graph/retained_sizes.h"
#include "report/hprof/hprof_reader.h"
#include "stack/names/jdk_classes.h"

namespace ddm {
namespace {

class DumpReading {
 public:
  DumpReading(int fd, const std::function<void(std::uint64_t)>& progress)
      : fd_(fd), names_(fd), progress_(progress) {}

  Result<SitesOfDump> read() {
    const auto extent = last_whole_dump(fd_);
    if (!extent) return extent.error();
    extent_ = *extent;
    const auto learn = [this](const HprofReader::Object& object) { sizes_.learn(object); };
    if (auto wrong = walk(&names_, learn)) return *wrong;
    sizes_.finish();
    if (auto wrong = walk(nullptr, [this](const auto& object) { count(object); })) return *wrong;
    return result();
  }

 private:
  struct Key {
    std::uint64_t of = 0;  // class, or type of element
    std::uint32_t trace = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::uint64_t>()(key.of * 0x9e3779b97f4a7c15u ^ key.trace);
    }
  };
  struct Sum {
    std::int64_t count = 0, bytes = 0;
    bool primitives = false;
  };

  template <typename Use>
  std::optional<Error> walk(DumpNames* names, const Use& use) {
    HprofReader in(fd_);
    in.open();
    return walk_dump(in, extent_, names, use, progress_);
  }

  void count(const HprofReader::Object& object) {
    if (object.is_root() || object.kind == HprofReader::kClass) return;
    const bool primitives = object.kind == HprofReader::kPrimitiveArray;
    Sum& sum = sums_[{primitives ? object.element : object.of, object.trace}];
    sum.primitives = primitives;
    ++sum.count;
    sum.bytes += static_cast<std::int64_t>(sizes_.bytes_of(object));
  }

  SitesOfDump result() {
    std::unordered_map<std::string, std::size_t> indices;
    SitesOfDump dump;
    dump.extent = extent_;
    for (const auto& [key, sum] : sums_) {
      DumpSite site;
      site.class_name = sum.primitives ? DumpNames::array_name(static_cast<std::uint8_t>(key.of))
                                       : names_.class_name(key.of);
      site.stack = names_.stack(key.trace);
      const bool has_stack = !site.stack.empty();
      const auto [at, inserted] = indices.emplace(site_key(site), dump.sites.size());
      if (inserted) dump.sites.push_back(std::move(site));
      dump.count_objects(dump.sites[at->second], sum.count, sum.bytes, has_stack);
    }
    std::ranges::sort(dump.sites, {}, [](const DumpSite& site) {
      return std::tuple(-site.bytes, -site.count, site.class_name);
    });
    return dump;
  }

  const int fd_;
  DumpExtent extent_;
  DumpNames names_;
  const std::function<void(std::uint64_t)>& progress_;
  DumpSizes sizes_;
  std::unordered_map<Key, Sum, Hash> sums_;
};

}  // namespace

void SitesOfDump::count_objects(DumpSite& of, std::int64_t objects, std::int64_t their_bytes,
                                bool has_stack) {
  of.count += objects;
  of.bytes += their_bytes;
  count += objects;
  bytes += their_bytes;
  if (!has_stack) return;
  with_stack += objects;
  with_stack_bytes += their_bytes;
}

std::string site_key(const DumpSite& site) {
  std::string key = site.class_name;
  for (const DumpFrame& frame : site.stack) {
    key += fmt::format("\n{}.{}{} {}", frame.name.class_name, frame.name.method, frame.signature,
                       frame.name.line);
  }
  return key;
}

Result<SitesOfDump> read_dump_sites(int fd, const std::function<void(std::uint64_t)>& progress) {
  return DumpReading(fd, progress).read();
}

SiteFigures figures_of(const SitesOfDump& dump, bool with_unknown) {
  SiteFigures figures;
  for (const DumpSite& site : dump.sites) {
    if (site.stack.empty() && !site.retained && !with_unknown) continue;
    SiteFigure& figure = figures.sites.emplace_back(
        SiteFigure{site.class_name, {}, {}, site.bytes, site.count, {}, site.retained.value_or(0)});
    if (site.stack.empty()) continue;
    const std::size_t app = representative_frame(site.stack.size(), [&](std::size_t i) {
      return std::string_view(site.stack[i].name.class_name);
    });
    figure.at = site.stack.front().name;
    figure.app = site.stack[app].name;
  }
  return figures;
}

SitesOfDump sites_with_retained(HeapGraph& graph, const RetainedSizes& sizes,
                                const std::function<std::string(const DumpSite&)>& key_of) {
  SitesOfDump dump;
  dump.extent = graph.extent();
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
    if (graph.is_class(object)) continue;
    dump.count_objects(dump.sites[found->second.number], 1,
                       static_cast<std::int64_t>(graph.bytes_of(object)), found->second.has_stack);
  }
  const std::vector<std::uint64_t> retained = sizes.by_group(site_of, dump.sites.size());
  for (std::size_t i = 0; i < retained.size(); ++i) {
    dump.sites[i].retained = static_cast<std::int64_t>(retained[i]);
  }
  std::erase_if(dump.sites, [](const DumpSite& site) { return site.count == 0; });
  std::ranges::sort(dump.sites, {}, [](const DumpSite& site) {
    return std::tuple(-*site.retained, -site.bytes, site.class_name);
  });
  return dump;
}

}  // namespace ddm
