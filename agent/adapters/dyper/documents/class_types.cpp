#include "adapters/dyper/documents/class_types.h"

#include "adapters/dyper/documents/xml_reader.h"

namespace ddm {
namespace {

constexpr ClassType kSystem{true, false, false};
constexpr ClassType kSystemIo{true, true, false};
constexpr ClassType kSystemCollection{true, false, true};

struct Word {
  std::string_view name;
  ClassType type;
};
constexpr Word kWords[] = {
    {"NORMAL", {}},
    {"SYSTEM", kSystem},
    {"IO", {false, true, false}},
    {"SYSTEM_IO", kSystemIo},
    {"COLLECTION", {false, false, true}},
    {"SYSTEM_COLLECTION", kSystemCollection},
};

DyperError bad_type(std::string_view word, const char* needed) {
  return {DyperErrorCode::kBadValue, "TYPE", std::string(word),
          std::string(needed) + ": NORMAL, SYSTEM, IO, SYSTEM_IO, COLLECTION or SYSTEM_COLLECTION"};
}

constexpr std::string_view kSystemPackages[] = {
    "java.",    "javax.",   "jdk.",     "sun.",     "com.sun.",        "com.ibm.",
    "org.w3c.", "org.omg.", "org.xml.", "jrockit.", "org.postgresql.", "ddm.",
};
constexpr std::string_view kIoPackages[] = {
    "java.io.", "java.net.", "javax.net.",   "java.nio.",
    "sun.nio.", "sun.net.",  "jrockit.net.", "jrockit.io.",
};
constexpr std::string_view kCollections[] = {
    "ArrayDeque",      "ArrayList",     "Arrays",        "BitSet",     "Collections",
    "EnumMap",         "EnumSet",       "HashMap",       "HashSet",    "Hashtable",
    "IdentityHashMap", "LinkedHashMap", "LinkedHashSet", "LinkedList", "PriorityQueue",
    "Properties",      "Stack",         "TreeMap",       "TreeSet",    "Vector",
    "WeakHashMap",
};

}  // namespace

std::optional<ClassType> class_type_of(std::string_view word) {
  for (const Word& one : kWords) {
    if (one.name == word) return one.type;
  }
  return {};
}

std::string_view name_of(ClassType type) {
  for (const Word& one : kWords) {
    if (one.type == type) return one.name;
  }
  return type.system ? "SYSTEM_IO" : "IO";  // I/O and a collection at once: no word has both
}

ClassTypes::ClassTypes() {
  for (const std::string_view package : kSystemPackages) packages_.emplace(package, kSystem);
  for (const std::string_view package : kIoPackages) packages_.emplace(package, kSystemIo);
  for (const std::string_view name : kCollections) {
    classes_.emplace("java.util." + std::string(name), kSystemCollection);
  }
}

ClassType ClassTypes::of_package(std::string_view name) const {
  for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos;
       dot = dot == 0 ? std::string_view::npos : name.rfind('.', dot - 1)) {
    if (const auto found = packages_.find(name.substr(0, dot + 1)); found != packages_.end()) {
      return found->second;
    }
  }
  return {};
}

ClassType ClassTypes::of(std::string_view class_name) const {
  if (const auto found = classes_.find(class_name); found != classes_.end()) return found->second;
  return of_package(class_name);
}

// SYSTEM_IO without I/O becomes SYSTEM, and so on.
void ClassTypes::clear(bool ClassType::*which) {
  for (Types* types : {&packages_, &classes_}) {
    for (auto& [name, type] : *types) type.*which = false;
  }
}

void ClassTypes::change(pugi::xml_node classes, DyperErrors& errors) {
  ++version_;
  if (flag_of(classes, "CLEAR", false)) {
    packages_.clear();
    classes_.clear();
  }
  if (flag_of(classes, "CLEARIO", false)) clear(&ClassType::io);
  if (flag_of(classes, "CLEARSYSTEM", false)) clear(&ClassType::system);
  for (const pugi::xml_node child : classes.children()) {
    const std::string_view tag = child.name();
    if (tag != "PACKAGE" && tag != "CLASS") continue;
    std::string name(attribute_of(child, "NAME"));
    const std::string_view word = attribute_of(child, "TYPE");
    const auto type = class_type_of(word);
    if (!type || name.empty()) {
      errors.push_back(bad_type(word, "a NAME and a TYPE are needed"));
      continue;
    }
    if (tag == "CLASS") {
      classes_.insert_or_assign(std::move(name), *type);
      continue;
    }
    if (!name.ends_with('.')) name += '.';
    std::erase_if(classes_, [&](const auto& one) { return one.first.starts_with(name); });
    packages_.insert_or_assign(std::move(name), *type);
  }
}

void ClassTypes::write(pugi::xml_node match, XmlWriter& xml, DyperErrors& errors) const {
  const std::string_view prefix = attribute_of(match, "NAME");
  const std::string_view word = attribute_of(match, "TYPE");
  if (!word.empty() && !class_type_of(word)) errors.push_back(bad_type(word, "a TYPE is one of"));
  xml.open("CLASSES");
  const auto write_one = [&](const char* tag, const std::string& name, ClassType type) {
    if (!name.starts_with(prefix) || (!word.empty() && name_of(type) != word)) return;
    xml.open(tag).attribute("NAME", name).attribute("TYPE", name_of(type)).close();
  };
  for (const auto& [name, type] : packages_) write_one("PACKAGE", name, type);
  for (const auto& [name, type] : classes_) {
    if (of_package(name) != type) write_one("CLASS", name, type);
  }
  xml.close();
}

}  // namespace ddm
