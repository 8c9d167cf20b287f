#include "wire_report.h"

#include <tuple>

namespace ddm {
namespace {

class Names {
 public:
  Names(const Allocations& allocations, NameTable& table)
      : allocations_(allocations), table_(table) {
    for (const std::string& name : allocations.classes) class_ids_.push_back(table.add_class(name));
  }

  NameId class_id(std::uint16_t index) const { return class_ids_[index]; }

  Frame frame(const Allocations::Frame& wire) {
    const bool native = wire.line == kLineNative;
    const auto [at, fresh] = methods_.try_emplace(
        std::tuple(wire.class_index, wire.method_index, wire.file_index, wire.line));
    if (fresh) {
      MethodName method;
      method.class_name = allocations_.classes[wire.class_index];
      method.method = allocations_.methods[wire.method_index];
      method.file = allocations_.files[wire.file_index];
      method.native = native;
      if (wire.line > 0) method.lines = {{0, static_cast<std::uint16_t>(wire.line)}};
      at->second = table_.add_method(std::move(method));
    }
    return {at->second, wire.line > 0 ? 0 : kNativeFrameBci};
  }

 private:
  const Allocations& allocations_;
  NameTable& table_;
  std::vector<NameId> class_ids_;
  std::map<std::tuple<std::uint16_t, std::uint16_t, std::uint16_t, std::int16_t>, NameId> methods_;
};

}  // namespace

ReportSummary summary_of(const HelloReply& hello, std::int64_t now_ms) {
  ReportSummary summary;
  summary.pid = hello.pid;
  summary.app = hello.app;
  summary.vm = hello.vm;
  summary.written_ms = now_ms;
  summary.reason = "request";
  return summary;
}

ReportData wire_report(const Allocations& allocations, const HelloReply& hello,
                       const WireThreads& threads, std::int64_t now_ms) {
  ReportData report;
  const auto table = std::make_shared<NameTable>();
  report.names = table.get();
  report.names_held = table;
  Names names(allocations, *table);
  RecordSet& records = report.records;
  records.reserve(allocations.entries.size(), allocations.frames.size());
  WeightedSum sum;
  std::uint64_t seq = 0;
  std::vector<Frame> frames;
  for (auto entry = allocations.entries.rbegin(); entry != allocations.entries.rend(); ++entry) {
    frames.clear();
    for (const Allocations::Frame& wire : allocations.frames_of(*entry)) {
      frames.push_back(names.frame(wire));
    }
    AllocRecord record;
    record.seq = ++seq;
    record.size = entry->bytes;
    const auto thread = threads.find(entry->thread_id);
    const bool ended = thread == threads.end();
    record.thread_id = ended ? -std::int64_t{entry->thread_id} : thread->second.id;
    report.thread_names[record.thread_id] = ended ? "(ended)" : thread->second.name;
    record.class_id = names.class_id(entry->class_index);
    records.append_newer(record, frames);
    sum.add(record);
  }
  ReportSummary& summary = report.summary = summary_of(hello, now_ms);
  summary.engine = summary.walker = kEngineUnknown;
  summary.sites_missing = "it is of the recent records alone";
  summary.seen = sum.count();
  summary.seen_bytes = sum.bytes();
  return report;
}

}  // namespace ddm
