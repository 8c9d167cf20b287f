// The names of classes and methods that records speak of: id -> text.
//
// Entries are copied out of the VM while the class is certainly alive (an object of it was just
// made, or one of its methods is on the stack), so that a class unloaded later can neither crash
// nor falsify a report. Equal entries share one id: a class that a thousand loaders define anew
// costs its name once.
//
// A name stays until keep_only() drops it because nothing refers to its id any more; an id never
// comes to mean another name. Any thread may call anything; entries never move or change.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/growth_limit.h"
#include "stack/frame.h"

namespace ddm {

struct LineEntry {  // LineNumberTable, JVMS 4.7.12
  std::uint16_t bci = 0;
  std::uint16_t line = 0;
  friend bool operator==(const LineEntry&, const LineEntry&) = default;
};

struct MethodName {
  std::string class_name;  // as Class.getTypeName(): "a.B$C"
  std::string method;      // "toString", "<init>"
  std::string signature;   // descriptor, "(I)Ljava/lang/String;"
  std::string file;        // SourceFile attribute or ""
  bool native = false;
  std::vector<LineEntry> lines;  // ascending bci
  friend bool operator==(const MethodName&, const MethodName&) = default;
};

inline constexpr std::string_view kFramesLeftOut = "[frames left out]";  // of kLeftOutName

inline constexpr int kLineUnknown = -1;
inline constexpr int kLineNative = -2;

// Source line of a bytecode index: kLineNative for native methods, kLineUnknown without a table.
int line_of(const MethodName& method, std::int32_t bci);

// Is told of every name before its id is used, by a thread that holds the table's lock.
class NameKeeper {
 public:
  virtual ~NameKeeper() = default;
  virtual void add_class(NameId id, std::string_view type_name) = 0;
  virtual void add_method(NameId id, const MethodName& method) = 0;
  // All others are gone from the table, and their ids are not used again.
  virtual void keep_only(const std::function<bool(NameId)>& classes,
                         const std::function<bool(NameId)>& methods) = 0;
};

struct NamesInUse {
  std::unordered_set<NameId> classes;
  std::unordered_set<NameId> methods;
};

class NameTable {
 public:
  NameTable();
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  // The same name gives the same id, as long as it is there. Ids start at 1.
  NameId add_class(std::string_view type_name);
  NameId add_method(MethodName method);

  // "unknown" for an id that was never given out or is dropped. The references stay valid until
  // the name is dropped.
  const std::string& class_name(NameId id) const;
  const MethodName& method(NameId id) const;

  // Tells `keeper` of all names there are, and of every new one from now on. It lives as long as
  // the table.
  void tell(NameKeeper& keeper);

  std::size_t class_count() const;
  std::size_t method_count() const;

  // Whoever reads records and asks for their names holds the table from before the first record
  // until after the last name: nothing is dropped meanwhile.
  std::shared_ptr<const void> hold() const;

  // Drops all names but those that `find` names and those that add_class() or add_method() gave
  // out since the call began. `find` runs without a lock; false, and nothing is dropped. The result
  // is whether it was done. One thread at a time.
  bool keep_only(const std::function<bool(NamesInUse&)>& find);

  GrowthLimit& growth() { return growth_; }

 private:
  template <typename Name>
  struct Entry {
    Name name;
    std::uint64_t given_out = 0;  // the last round in which add_...() gave out the id
  };
  using Class = Entry<std::string>;
  using Method = Entry<MethodName>;

  void drop_class(NameId id);
  void drop_method(NameId id);

  mutable std::mutex mutex_;
  NameKeeper* keeper_ = nullptr;
  mutable int holders_ = 0;
  std::uint64_t round_ = 0;  // of keep_only()
  NameId next_class_ = kUnknownName + 1;
  NameId next_method_ = kUnknownName + 1;
  // References into these stay valid while others come and go.
  std::unordered_map<NameId, Class> classes_;
  std::unordered_map<NameId, Method> methods_;
  std::unordered_map<std::string_view, NameId> class_ids_;   // keys live in classes_
  std::unordered_multimap<std::size_t, NameId> method_ids_;  // content hash -> id
  Class unknown_class_;
  Method unknown_method_;
  GrowthLimit growth_;
};

}  // namespace ddm
