// Classifies classes as system, I/O or collection classes: a built-in table that CLASSES changes.
// An entry for a class overrides its package's, and a longer package a shorter one. One thread at a
// time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "adapters/dyper/documents/request.h"

namespace ddm {

struct ClassType {
  bool system = false;  // costs are charged to the caller instead
  bool io = false;      // a thread whose innermost frame is here does I/O
  bool collection = false;
  friend bool operator==(const ClassType&, const ClassType&) = default;
};

// "SYSTEM_IO" -> the type. None: unknown word.
std::optional<ClassType> class_type_of(std::string_view word);
std::string_view name_of(ClassType type);

class ClassTypes {
 public:
  ClassTypes();

  // "a.b.C"
  ClassType of(std::string_view class_name) const;

  // The element that CLASSES and GETCLASSES contain, or an empty node.
  void change(pugi::xml_node classes, DyperErrors& errors);
  void write(pugi::xml_node match, XmlWriter& xml, DyperErrors& errors) const;

  // Grows with each change.
  std::uint64_t version() const { return version_; }

 private:
  using Types = std::map<std::string, ClassType, std::less<>>;

  ClassType of_package(std::string_view name) const;
  void clear(bool ClassType::*which);

  Types packages_;  // "a.b."
  Types classes_;
  std::uint64_t version_ = 1;
};

}  // namespace ddm
