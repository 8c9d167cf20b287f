// The names of classes and methods that records speak of: id -> text, kept for good.
//
// Entries are copied out of the VM while the class is certainly alive (an object of it was just
// made, or one of its methods is on the stack), so that a class unloaded later can neither crash
// nor falsify a report. Equal entries share one id: a class that a thousand loaders define anew
// costs its name once.
//
// Any thread may call anything; entries never move or change once handed out.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "records/alloc_record.h"

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

inline constexpr int kLineUnknown = -1;
inline constexpr int kLineNative = -2;

// Source line of a bytecode index: kLineNative for native methods, kLineUnknown without a table.
int line_of(const MethodName& method, std::int32_t bci);

// "Ljava/lang/String;" -> "java.lang.String", "[[I" -> "int[][]". The signature of a hidden class,
// "La/B$$Lambda.0x12;" (JVMTI GetClassSignature), becomes "a.B$$Lambda/0x12" as getTypeName() says.
// Anything that is not a signature comes back unchanged.
std::string type_name_of(std::string_view signature);

class NameTable {
 public:
  NameTable();
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  // The same name gives the same id. Ids start at 1.
  NameId add_class(std::string_view type_name);
  NameId add_method(MethodName method);

  // "unknown" for an id that was never given out. The references stay valid for good.
  const std::string& class_name(NameId id) const;
  const MethodName& method(NameId id) const;

  std::size_t class_count() const;
  std::size_t method_count() const;

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> classes_;  // index = id; deque: references survive growth
  std::deque<MethodName> methods_;
  std::unordered_map<std::string_view, NameId> class_ids_;   // keys live in classes_
  std::unordered_multimap<std::size_t, NameId> method_ids_;  // content hash -> id
};

}  // namespace ddm
