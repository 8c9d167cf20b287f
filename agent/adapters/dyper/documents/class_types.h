// Which classes are the system's, which do I/O, which are collections: built in, and changed by
// CLASSES. A class of its own beats packages, a longer package a shorter one. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/dyper/documents/request.h"

namespace ddm {

struct ClassType {
  bool system = false;  // not looked at by itself: what called it is
  bool io = false;      // whatever runs in it is I/O
  bool collection = false;
  friend bool operator==(const ClassType&, const ClassType&) = default;
};

// "SYSTEM_IO". None: no such word.
std::optional<ClassType> class_type_of(std::string_view word);
std::string_view name_of(ClassType type);

class ClassTypes {
 public:
  ClassTypes();

  // "a.b.C"
  ClassType of(std::string_view class_name) const;

  // What CLASSES and GETCLASSES hold: their element, or an empty node.
  void change(pugi::xml_node classes, std::vector<DyperError>& errors);
  void write(pugi::xml_node match, XmlWriter& xml, std::vector<DyperError>& errors) const;

  // Other than before when something has changed.
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
