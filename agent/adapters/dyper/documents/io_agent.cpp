#include "adapters/dyper/documents/io_agent.h"

#include <utility>

namespace ddm {
namespace {

std::string method_name(const SeenFrame& frame) {
  return std::string(frame.class_name) + "@" + std::string(frame.method);
}

// New ones are left out once there are many.
template <typename Key>
void count(const Key& key, std::map<Key, std::int64_t>& counts) {
  if (counts.size() < IoAgent::kMostItems || counts.contains(key)) ++counts[key];
}

}  // namespace

void IoAgent::add_snapshot(const ThreadSnapshot& snapshot, const ClassTypes& types,
                           const DyperVariables&) {
  bool any = false;
  for (const SeenThread& thread : snapshot.threads) {
    if (!does_io(thread, types)) continue;
    any = true;
    const std::size_t user = first_user_frame(thread, types);
    std::size_t called = 0;
    for (std::size_t i = 0; i < user; ++i) {
      if (types.of(thread.frames[i].class_name).io) called = i;
    }
    const std::string name = method_name(thread.frames[called]);
    if (items_.size() >= kMostItems && !items_.contains(name)) continue;
    Sum& sum = items_[name];
    ++sum.count;
    count(thread.id, sum.threads);
    if (user < thread.frames.size()) {
      const SeenFrame& source = thread.frames[user];
      count(method_name(source) + "@" + std::to_string(source.line), sum.sources);
    }
  }
  if (any) ++active_;
}

void IoAgent::forget() {
  items_.clear();
  active_ = 0;
}

void IoAgent::report(const ReportMoment&, const DyperVariables&, XmlWriter& xml) {
  xml.open("IOCOUNTERS");
  write_time(active_, xml);
  for (auto& [name, sum] : items_) {
    if (std::exchange(sum.reported, sum.count) == sum.count) continue;
    xml.open("ITEM").attribute("NAME", name).attribute("COUNT", sum.count);
    for (const auto& [id, count] : sum.threads) {
      xml.open("THREAD").attribute("ID", id).attribute("COUNT", count).close();
    }
    for (const auto& [source, count] : sum.sources) {
      xml.open("SOURCE").attribute("NAME", source).attribute("COUNT", count).close();
    }
    xml.close();
  }
  xml.close();
}

}  // namespace ddm
