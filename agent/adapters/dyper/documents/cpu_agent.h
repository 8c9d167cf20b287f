// CPU: samples of running threads by class, method and line.
//
// A sample is charged to its first frame outside of system classes (BASE); TOTAL counts every frame
// from there to the root, so a recursive method counts once for each of its frames. Methods are
// counted once their class has passed DetailRule, lines once their method has, unless DETAIL_ALL or
// SETDETAIL decides otherwise. Bounded: after kMostItems names, new names count in the sums only.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "adapters/dyper/documents/dyper_agent.h"

namespace ddm {

class CpuAgent final : public DyperAgent {
 public:
  static constexpr std::size_t kMostItems = 200'000;

  CpuAgent() : DyperAgent("CPU") {}

  void set_detail(std::string_view item, bool on) override;
  void report(const ReportMoment& moment, const DyperVariables& variables, XmlWriter& xml) override;

 protected:
  void add_snapshot(const ThreadSnapshot& snapshot, const ClassTypes& types,
                    const DyperVariables& variables) override;
  void forget() override;

 private:
  struct Hits {
    std::int64_t total = 0;
    std::int64_t base = 0;
    std::int64_t reported = 0;  // the total that the last report had
  };
  struct Detail {
    std::optional<bool> decided;  // by SETDETAIL
    bool on = false;
    std::int64_t base_then = 0;
    std::int64_t since_ms = 0;
  };
  struct Method {
    Hits hits;
    Detail detail;
    std::map<int, Hits> lines;
  };
  struct Class {
    Hits hits;
    Detail detail;
    std::map<std::string, Method, std::less<>> methods;
  };

  void count(const SeenFrame& frame, bool leaf, std::int64_t now_ms,
             const DyperVariables& variables);
  static void add(Hits& hits, Hits& sum, bool leaf);
  static bool detailed(Detail& detail, const Hits& hits, std::int64_t all, bool leaf,
                       const DetailRule& rule, std::int64_t now_ms);
  template <typename Map, typename Key>
  typename Map::mapped_type* find(Map& map, const Key& key);
  static void write_item(const std::string& name, Hits& hits, const Detail* detail,
                         const DyperVariables& variables, XmlWriter& xml);

  std::map<std::string, Class, std::less<>> classes_;
  std::size_t items_ = 0;
  Hits class_hits_, method_hits_, line_hits_;
  std::int64_t active_ = 0;
};

}  // namespace ddm
