#include "adapters/dyper/documents/cpu_agent.h"

#include <iterator>

namespace ddm {

// Null: the limit of names is reached.
template <typename Map, typename Key>
typename Map::mapped_type* CpuAgent::find(Map& map, const Key& key) {
  if (const auto found = map.find(key); found != map.end()) return &found->second;
  if (items_ >= kMostItems) return nullptr;
  ++items_;
  return &map[typename Map::key_type(key)];
}

void CpuAgent::add(Hits& hits, Hits& sum, bool leaf) {
  ++hits.total;
  ++sum.total;
  if (!leaf) return;
  ++hits.base;
  ++sum.base;
}

bool CpuAgent::detailed(Detail& detail, const Hits& hits, std::int64_t all, bool leaf,
                        const DetailRule& rule, std::int64_t now_ms) {
  if (detail.decided) return *detail.decided;
  if (!leaf) return detail.on;
  const auto base = static_cast<double>(hits.base), of_all = static_cast<double>(all);
  if (detail.on) {
    detail.on = base >= of_all * rule.stop_threshold;
  } else if (of_all >= rule.min_total && base >= rule.minimum && base > of_all * rule.threshold) {
    detail = {{}, true, hits.base, now_ms};
  }
  return detail.on;
}

void CpuAgent::count(const SeenFrame& frame, bool leaf, std::int64_t now_ms,
                     const DyperVariables& variables) {
  const auto looks_into = [&](Detail& detail, const Hits& hits, auto all, const DetailRule& rule) {
    return detailed(detail, hits, all, leaf, rule, now_ms) || variables.detail_all;
  };
  Class* of_class = find(classes_, frame.class_name);
  Hits none;
  add(of_class != nullptr ? of_class->hits : none, class_hits_, leaf);
  if (of_class == nullptr) return;
  if (!looks_into(of_class->detail, of_class->hits, class_hits_.base, variables.class_detail))
    return;
  Method* method = find(of_class->methods, frame.method);
  add(method != nullptr ? method->hits : none, method_hits_, leaf);
  if (method == nullptr) return;
  if (!looks_into(method->detail, method->hits, method_hits_.base, variables.method_detail)) return;
  Hits* line = find(method->lines, frame.line);
  add(line != nullptr ? *line : none, line_hits_, leaf);
}

void CpuAgent::add_snapshot(const ThreadSnapshot& snapshot, const ClassTypes& types,
                            const DyperVariables& variables) {
  bool any = false;
  for (const SeenThread& thread : snapshot.threads) {
    if (thread.activity != ThreadActivity::kRunnable || does_io(thread, types)) continue;
    const std::size_t first = first_user_frame(thread, types);
    for (std::size_t i = first; i < thread.frames.size(); ++i) {
      count(thread.frames[i], i == first, snapshot.ms, variables);
    }
    any = any || first < thread.frames.size();
  }
  if (any) ++active_;
}

void CpuAgent::forget() {
  class_hits_ = method_hits_ = line_hits_ = {};
  active_ = 0;
  items_ = 0;
  // Decisions of SETDETAIL are kept.
  for (auto one = classes_.begin(); one != classes_.end();) {
    Class& of_class = one->second;
    std::erase_if(of_class.methods,
                  [](const auto& method) { return !method.second.detail.decided; });
    for (auto& [name, method] : of_class.methods) {
      method.hits = {};
      method.lines.clear();
    }
    of_class.hits = {};
    of_class.detail = {of_class.detail.decided};
    const bool kept = of_class.detail.decided || !of_class.methods.empty();
    if (kept) items_ += 1 + of_class.methods.size();
    one = kept ? std::next(one) : classes_.erase(one);
  }
}

void CpuAgent::set_detail(std::string_view item, bool on) {
  const std::size_t at = item.find('@');
  Class* of_class = find(classes_, item.substr(0, at));
  if (of_class == nullptr) return;
  if (at == std::string_view::npos) {
    of_class->detail.decided = on;
    return;
  }
  item.remove_prefix(at + 1);
  Method* method = find(of_class->methods, item.substr(0, item.find('@')));
  if (method != nullptr) method->detail.decided = on;
}

// Writes items that have changed since the last report only.
void CpuAgent::write_item(const std::string& name, Hits& hits, const Detail* detail,
                          const DyperVariables& variables, XmlWriter& xml) {
  if (hits.total == hits.reported) return;
  hits.reported = hits.total;
  xml.open("ITEM").attribute("NAME", name);
  if (detail != nullptr && !variables.detail_all) {
    xml.attribute("DETAILED", detail->decided.value_or(detail->on));
    if (detail->on) {
      xml.attribute("DTOTAL", detail->base_then).attribute("DSTART", detail->since_ms);
    }
  }
  xml.attribute("TOTAL", hits.total).attribute("BASE", hits.base).close();
}

void CpuAgent::report(const ReportMoment& moment, const DyperVariables& variables, XmlWriter& xml) {
  xml.open("COUNTERS");
  write_time(active_, xml);
  xml.open("TOTALS").attribute("CLASS", class_hits_.total).attribute("METHOD", method_hits_.total);
  xml.attribute("LINE", line_hits_.total).attribute("CBASE", class_hits_.base);
  xml.attribute("MBASE", method_hits_.base).attribute("LBASE", line_hits_.base).close();
  for (auto& [class_name, of_class] : classes_) {
    write_item(class_name, of_class.hits, &of_class.detail, variables, xml);
    for (auto& [method_name, method] : of_class.methods) {
      const std::string name = class_name + "@" + method_name;
      write_item(name, method.hits, &method.detail, variables, xml);
      for (auto& [line, hits] : method.lines) {
        write_item(name + "@" + std::to_string(line), hits, nullptr, variables, xml);
      }
    }
  }
  xml.raw(moment.counted).close();
}

}  // namespace ddm
