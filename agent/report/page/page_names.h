// The names of the page's bars: methods at lines, classes, threads. Each is stored once for all
// trees, the most frequently used first. Pure; for one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/report_names.h"
#include "stack/frame.h"

namespace ddm {

class PageNames {
 public:
  enum Kind : std::uint32_t { kFrame, kClass, kThread };
  // The kind in the lowest bits; above, a number per kind in order of insertion.
  using Name = std::uint32_t;
  static constexpr std::uint32_t kKindBits = 2;
  static Kind kind(Name name) { return static_cast<Kind>(name & ((1u << kKindBits) - 1)); }

  explicit PageNames(ReportNames& names) : names_(names) {}

  // Methods of equal name and line share one name.
  Name frame(const Frame& frame);
  Name frame(const std::string& class_name, const std::string& method, const std::string& file,
             int line);
  // From another page's data: the qualified name, and its origin.
  Name frame_named(const std::string& text, const std::string& file, int line, char origin);
  // A bar without a method: missing frames, a kind of waiting.
  Name word(std::string_view text);
  Name class_of(NameId id);
  Name class_named(const std::string& text);
  Name thread(std::int64_t id, const std::string& name);
  void used(Name name) { ++numbered_[kind(name)].uses[name >> kKindBits]; }

  // Call after all used(), before place(): assigns the places in the lists of append_to(). At least
  // one name of each requested kind must be used.
  void rank();
  std::uint32_t place(Name name) const { return numbered_[kind(name)].places[name >> kKindBits]; }
  // "names":[...],"origins":"...","files":[...],"frames":[[name, ...],[file, ...],[line, ...]],
  // "classes":[...],"thread_names":[[id,name],...]; origins are ClassOrigin's numbers, one digit per
  // name, 9 without a class.
  void append_to(std::string& out) const;

 private:
  struct PageFrame {
    std::uint32_t name = 0, file = 0;  // of methods_, files_
    int line = 0;
  };
  struct Numbered {
    std::vector<std::uint32_t> uses, places, order;
  };

  Name add(Kind kind);

  ReportNames& names_;
  Numbered numbered_[3];
  TextNumbers methods_, files_, class_texts_;
  std::string origins_;  // by place in methods_
  std::vector<PageFrame> frames_;
  std::vector<std::pair<std::int64_t, std::string>> threads_;     // id, name
  std::unordered_map<std::uint64_t, Name> by_frame_;              // method and bci
  std::unordered_map<std::uint64_t, std::vector<Name>> by_line_;  // method's text and line
  std::unordered_map<NameId, Name> by_class_;
  std::unordered_map<std::string, Name> by_thread_;
};

}  // namespace ddm
