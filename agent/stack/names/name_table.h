// The names of classes and methods that records refer to: id -> text.
//
// Names are copied from the VM while the class is certainly alive (an object of it was just
// allocated, or a method of it is on the stack), so a class unloaded later can neither crash nor
// falsify a report. Equal names share an id: a class defined by a thousand loaders is stored once.
//
// A name stays until keep_only() drops it because nothing refers to its id; ids are not reused. Any
// thread may call anything; entries are never moved or changed.
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

inline constexpr std::string_view kFramesLeftOut = "[frames left out]";  // text of kLeftOutName

inline constexpr int kLineUnknown = -1;
inline constexpr int kLineNative = -2;

// Source line of a bytecode index: kLineNative for native methods, kLineUnknown without a table.
int line_of(const MethodName& method, std::int32_t bci);

// Notified of every name before its id is used, by a thread that holds the table's lock.
class NameKeeper {
 public:
  virtual ~NameKeeper() = default;
  virtual void add_class(NameId id, std::string_view type_name) = 0;
  virtual void add_method(NameId id, const MethodName& method) = 0;
  // All other names were dropped, and their ids are not reused.
  virtual void keep_only(const std::function<bool(NameId)>& classes,
                         const std::function<bool(NameId)>& methods) = 0;
};

struct NamesInUse {
  std::unordered_set<NameId> classes;
  std::unordered_set<NameId> methods;
};

// A component that refers to names, which a sweep must not drop.
class NamesUser {
 public:
  virtual ~NamesUser() = default;
  // On an attached thread; may wait for a lock of the component's.
  virtual void add_names(NamesInUse& used) = 0;
};

class NameTable {
 public:
  // Equal names give the same id while they are in the table. Ids start at 1.
  NameId add_class(std::string_view type_name);
  NameId add_method(MethodName method);

  // "unknown" for an id that was never assigned or was dropped. References stay valid until the
  // name is dropped.
  const std::string& class_name(NameId id) const;
  const MethodName& method(NameId id) const;

  // Notifies `keeper` of all current names, and of every new one from now on. It must live as long
  // as the table.
  void set_keeper(NameKeeper& keeper);

  std::size_t size() const;  // classes and methods

  // While the result exists, no names are dropped. A reader of records holds the table from before
  // the first record until after the last name.
  std::shared_ptr<const void> hold() const;

  // Drops all names except those that `find` adds and those that add_class() or add_method()
  // returned since the call began. `find` runs without a lock; if it returns false, nothing is
  // dropped. Returns whether it was done. One thread at a time.
  bool keep_only(const std::function<bool(NamesInUse&)>& find);

  GrowthLimit& growth() { return growth_; }

 private:
  // Of one kind. References to elements stay valid while others are added or erased.
  template <typename Name>
  struct Names {
    struct Entry {
      Name name;
      std::uint64_t given_out = 0;  // the last round in which add() returned the id
    };
    std::unordered_map<NameId, Entry> entries;
    std::unordered_multimap<std::size_t, NameId> ids;  // content hash -> id
    NameId next = kUnknownName + 1;
  };

  template <typename Name, typename Given, typename Keep>
  NameId add(Names<Name>& names, std::size_t hash, Given name, Keep keep);
  std::size_t count() const { return classes_.entries.size() + methods_.entries.size(); }

  mutable std::mutex mutex_;
  NameKeeper* keeper_ = nullptr;
  mutable int holders_ = 0;
  std::uint64_t round_ = 0;  // number of keep_only() calls
  Names<std::string> classes_;
  Names<MethodName> methods_;
  GrowthLimit growth_;
};

}  // namespace ddm
