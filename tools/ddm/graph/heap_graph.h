// The objects of a heap dump and their references, in compact arrays: 24 bytes an object, 16 more
// if the dump is not in the order of addresses, and 4 a reference.
//
// The dump is read twice. An object's number is its index in the dump; a class is represented by
// its java.lang.Class. Invalid data is ignored: a reference to no object counts as null. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/result.h"
#include "graph/dump_extent.h"
#include "graph/dump_names.h"
#include "graph/dump_sizes.h"
#include "graph/object_numbers.h"

namespace ddm {

class HeapGraph {
 public:
  static constexpr ObjectNumber kNone = ObjectNumbers::kNone;

  struct Root {
    ObjectNumber object;
    std::uint8_t kind;     // HprofReader::kJniGlobal to kThread, or 0xFF
    std::uint32_t thread;  // its serial number, for kinds that have one
    std::uint32_t frame;   // of that thread's stack
  };
  struct Thread {
    ObjectNumber object = kNone;
    std::uint32_t trace = 0;
  };

  // `fd`: read by pread(). `progress`: called from time to time with the bytes read.
  static Result<HeapGraph> read(int fd, const std::function<void(std::uint64_t)>& progress);

  const DumpExtent& extent() const { return extent_; }  // of the dump in its file
  std::size_t size() const { return class_of_.size(); }
  std::uint64_t bytes_of(ObjectNumber object) const {
    return std::uint64_t{size_words_[object]} * 8;
  }
  std::uint32_t trace_of(ObjectNumber object) const { return traces_[object]; }
  std::span<const Root> roots() const { return roots_; }
  // By serial number; null: unknown.
  const Thread* thread(std::uint32_t serial) const;
  // The thread's `name` field, "" if null. The first call reads the dump again.
  std::string thread_name(std::uint32_t serial);

  // The objects that an object refers to by its fields, elements or static fields, kNone for null.
  // The last ones are implicit references: an object's class; a class's loader and superclass.
  std::uint32_t references(ObjectNumber object) const {
    return first_edge_[object + 1] - first_edge_[object] + (is_class(object) ? 2 : 1);
  }
  ObjectNumber reference(ObjectNumber object, std::uint32_t at) const {
    const std::uint32_t own = first_edge_[object + 1] - first_edge_[object];
    if (at < own) return edges_[first_edge_[object] + at];
    const Class& of = classes_[class_of_[object]];
    if (!is_class(object)) return of.object;
    return at == own ? of.loader : of.super < classes_.size() ? classes_[of.super].object : kNone;
  }
  // Whether that reference is java.lang.ref.Reference.referent, which keeps no object alive.
  bool is_weak(ObjectNumber object, std::uint32_t at) const {
    return !is_class(object) && at == classes_[class_of_[object]].referent;
  }
  // Whether it is a thread's contextClassLoader or parkBlocker: threads use what others own.
  bool is_borrowed(ObjectNumber object, std::uint32_t at) const {
    const Class& of = classes_[class_of_[object]];
    return !is_class(object) && (at == of.context_loader || at == of.blocker);
  }
  bool is_class(ObjectNumber object) const { return classes_[class_of_[object]].object == object; }
  bool is_array(ObjectNumber object) const {
    return !is_class(object) && classes_[class_of_[object]].array;
  }
  bool is_static(ObjectNumber object, std::uint32_t at) const {
    return is_class(object) && at < first_edge_[object + 1] - first_edge_[object];
  }

  // Classes by number: those of the dump, then the arrays of primitives.
  std::uint32_t class_of(ObjectNumber object) const { return class_of_[object]; }
  std::size_t classes() const { return classes_.size(); }
  std::string class_name(std::uint32_t number) const;
  // Of all classes of this name, with any loader.
  std::vector<ObjectNumber> objects_of(std::string_view class_name) const;
  // "java.util.HashMap.table" of a field, "shop.Shop.ALL" of a static one, "java.lang.Object[]" of
  // an element, "shop.Shop.<class>", "shop.Shop.<loader>", "java.lang.ref.WeakReference.referent".
  std::string reference_name(ObjectNumber object, std::uint32_t at) const;

  DumpNames& names() { return names_; }

 private:
  static constexpr std::uint32_t kNoClass = ~std::uint32_t{0}, kNoField = kNoClass;
  // The name of a field, or of a static field, by position.
  struct Name {
    std::uint32_t owner = kNoClass;
    std::uint64_t text = 0;
  };
  struct Class {
    std::uint64_t id = 0, super_id = 0, loader_id = 0;
    ObjectNumber object = kNone, loader = kNone;
    std::uint32_t super = kNoClass;
    std::uint32_t referent = kNoField, context_loader = kNoField, blocker = kNoField;  // positions
    std::uint8_t element = 0;                                     // of arrays of primitives
    bool array = false, is_reference = false, is_thread = false;  // itself, not its subclasses
    std::vector<HprofReader::Field> fields;   // declared in this class, until the layout is made
    std::vector<HprofReader::Field> statics;  // the references among them
    // The offsets of an instance's references in its bytes, and their names. Only what instances of
    // the dump have is laid out.
    std::vector<std::uint32_t> offsets;
    std::vector<Name> fields_of_instance;
  };

  explicit HeapGraph(int fd) : fd_(fd), names_(fd) {}

  // `details`: receives the details of classes, and names are noted; null: the second pass.
  std::optional<Error> walk(
      const std::function<void(HprofReader&, const HprofReader::Object&)>& use,
      HprofReader::ClassDetails* details, const std::function<void(std::uint64_t)>& progress);
  void learn(const HprofReader::Object& object, HprofReader::ClassDetails& details);
  void add_array_classes();
  void lay_out();
  void lay_out(Class& one);
  void link(HprofReader& in, const HprofReader::Object& object);
  ObjectNumber field(ObjectNumber object, std::string_view name) const;
  // The offset of a field that is no reference in instances of this class; none: no such field.
  std::optional<std::uint32_t> offset_of(std::uint32_t of, std::string_view name) const;
  void read_thread_names();

  const int fd_;
  DumpExtent extent_;
  DumpNames names_;
  DumpSizes sizes_;
  ObjectNumbers numbers_;
  std::vector<std::uint32_t> class_of_, size_words_, traces_, first_edge_;
  std::vector<ObjectNumber> edges_;
  std::vector<Root> roots_;
  std::vector<Class> classes_;
  std::unordered_map<std::uint64_t, std::uint32_t> class_numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> instance_bytes_;  // the most, by class
  std::unordered_map<std::uint32_t, Thread> threads_;
  std::optional<std::unordered_map<ObjectNumber, std::string>> thread_names_;
  std::uint32_t id_bytes_ = 8;
  std::uint32_t linked_ = 0;  // number of objects linked so far
};

}  // namespace ddm
