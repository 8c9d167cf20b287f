#include "adapters/dyper/memory_agent.h"

#include <algorithm>
#include <functional>

#include "report/report_names.h"
#include "vm/management.h"

namespace ddm {
namespace {

std::string name_of(PoolKind kind) {
  constexpr const char* kNames[] = {"YOUNG",     "SURVIVOR",      "OLD",
                                    "METASPACE", "CLASSSPACE",    "CODE",
                                    "CODE_VM",   "CODE_PROFILED", "CODE_NOT_PROFILED"};
  return kNames[static_cast<std::size_t>(kind)];
}

struct Source {
  std::string file, class_name, method;
  int line = 0;
  std::int64_t count = 0;
};
struct OfClass {
  std::int64_t count = 0, bytes = 0;
  std::map<std::string, Source> sources;
};

// The first frame of the program, or the innermost one.
Frame source_of(const SiteSet& sites, const Site& site, ReportNames& names,
                const ClassTypes& types) {
  SiteSet::FrameBuffer buffer;
  const std::span<const Frame> frames = sites.frames(site, buffer);
  for (const Frame frame : frames) {
    if (!types.of(names.method(frame.method).class_name).system) return frame;
  }
  return frames.empty() ? Frame() : frames.front();
}

void write_sources(const OfClass& of_class, std::size_t most, XmlWriter& xml) {
  std::vector<const Source*> sources;
  for (const auto& [name, source] : of_class.sources) sources.push_back(&source);
  std::ranges::stable_sort(sources, std::greater(), &Source::count);
  if (sources.size() > most) sources.resize(most);
  for (const Source* source : sources) {
    xml.open("SOURCE").attribute("FILE", source->file).attribute("CLASS", source->class_name);
    xml.attribute("METHOD", source->method).attribute("LINE", source->line);
    xml.attribute("COUNT", source->count).close();
  }
}

}  // namespace

void MemoryAgent::Usage::add(const HeapFigures& figures) {
  const auto now_used = static_cast<double>(figures.used_bytes);
  const auto now_committed = static_cast<double>(figures.committed_bytes);
  used += now_used;
  used_squares += now_used * now_used;
  committed += now_committed;
  committed_squares += now_committed * now_committed;
  ++samples;
  last = figures;
}

void MemoryAgent::add_snapshot(const ThreadSnapshot& snapshot, const ClassTypes& types,
                               const DyperVariables&) {
  if (start_ms_ == 0) start_ms_ = snapshot.ms;
  if (types_.version() != types.version()) types_ = types;
  if (const auto heap = figures_.heap(jni_)) usages_["HEAP"].add(*heap);
  for (const PoolFigures& pool : figures_.pools(jni_)) {
    usages_[name_of(pool.kind)].add(pool.figures);
  }
}

void MemoryAgent::forget() {
  usages_.clear();
  reported_.clear();
  start_ms_ = 0;
}

void MemoryAgent::write_usage(const std::string& name, const Usage& usage, XmlWriter& xml) const {
  const auto samples = static_cast<double>(std::max<std::int64_t>(usage.samples, 1));
  xml.open("USAGE").attribute("NAME", name).attribute("INIT", usage.last.init_bytes);
  xml.attribute("MAX", usage.last.max_bytes);
  xml.attribute("USED", usage.used / samples).attribute("USED2", usage.used_squares / samples);
  xml.attribute("COMM", usage.committed / samples);
  xml.attribute("COMM2", usage.committed_squares / samples).attribute("MODS", usage.samples);
  xml.attribute("LUSED", usage.last.used_bytes).attribute("LCOMM", usage.last.committed_bytes);
  xml.close();
}

void MemoryAgent::report(const ReportMoment& moment, const DyperVariables& variables,
                         XmlWriter& xml) {
  xml.open("MEMORY").attribute("START", start_ms_ != 0 ? start_ms_ : moment.now_ms);
  xml.attribute("MONTIME", time().monitored_ms()).attribute("LAST", time().last_ms);
  for (const auto& [name, usage] : usages_) write_usage(name, usage, xml);
  for (const management::Collector& gc : management::collectors(jni_)) {
    xml.open("GC").attribute("NAME", gc.name).attribute("COUNT", gc.count);
    xml.attribute("TIME", gc.ms).close();
  }
  write_allocations(variables, xml);
  xml.close();
}

// COUNT: totals by class. SOURCE: by class and source line.
void MemoryAgent::write_allocations(const DyperVariables& variables, XmlWriter& xml) {
  if (!reports_.has_figures()) return;
  const std::optional<ReportData> made = reports_.report(jni_, "dyper");
  if (!made) return;
  const ReportData& data = *made;
  ReportNames names(data.names);
  std::map<std::string, OfClass> classes;
  for (const Site& site : data.sites.list()) {
    OfClass& of_class = classes[names.class_name(site.class_id)];
    of_class.count += site.count;
    of_class.bytes += site.bytes;
    if (variables.alloc_monitor != "SOURCE") continue;
    const Frame frame = source_of(data.sites, site, names, types_);
    const PrintableMethod& method = names.method(frame.method);
    const int line = line_of(*method.entry, frame.bci);
    Source& source = of_class.sources[method.qualified + "@" + std::to_string(line)];
    if (source.count == 0) source = {method.file, method.class_name, method.method, line, 0};
    source.count += site.count;
  }
  std::vector<std::pair<std::string, const OfClass*>> by_bytes;
  for (const auto& [name, of_class] : classes) by_bytes.emplace_back(name, &of_class);
  std::ranges::stable_sort(by_bytes, std::greater(),
                           [](const auto& one) { return one.second->bytes; });
  if (by_bytes.size() > kMostClasses) by_bytes.resize(kMostClasses);
  for (const auto& [name, of_class] : by_bytes) {
    std::int64_t& reported = reported_[name];
    xml.open("ALLOC").attribute("CLASS", name).attribute("COUNT", of_class->count);
    xml.attribute("NCOUNT", of_class->count - std::exchange(reported, of_class->count));
    xml.attribute("BYTES", of_class->bytes);
    write_sources(*of_class, kMostSources, xml);
    xml.close();
  }
}

}  // namespace ddm
