#include "graph/heap_graph.h"

#include <algorithm>
#include <limits>

#include "core/utf16.h"

namespace ddm {
namespace {

constexpr std::size_t kMaxObjects = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMaxReferences = std::numeric_limits<std::uint32_t>::max() - 4;
constexpr int kMaxSupers = 1000;
constexpr std::uint8_t kFirstPrimitive = 4, kPrimitives = 12;
constexpr std::uint32_t kMaxOfName = 1 << 12;

// Of java.lang.String's `value`: Latin-1 a byte each, or UTF-16 as the machine has it.
std::string text_of_value(const std::string& bytes, bool utf16) {
  std::u16string text;
  for (std::size_t i = 0; i + (utf16 ? 1 : 0) < bytes.size(); i += utf16 ? 2 : 1) {
    const auto at = [&](std::size_t n) { return static_cast<std::uint8_t>(bytes[n]); };
    text += static_cast<char16_t>(utf16 ? at(i) | at(i + 1) << 8 : at(i));
  }
  return to_utf8(text);
}

}  // namespace

Result<HeapGraph> HeapGraph::read(int fd, const std::function<void(std::uint64_t)>& progress) {
  HeapGraph graph(fd);
  const auto extent = last_whole_dump(fd);
  if (!extent) return extent.error();
  graph.extent_ = *extent;
  std::uint64_t first_pass = 0;
  HprofReader::ClassDetails details;
  graph.add_array_classes();
  auto wrong = graph.walk(
      [&](HprofReader&, const HprofReader::Object& object) { graph.learn(object, details); },
      &details, [&](std::uint64_t bytes) { progress(first_pass = bytes); });
  if (wrong) return *wrong;
  if (graph.numbers_.size() > kMaxObjects) return Error{"it has more objects than are read here"};
  graph.numbers_.complete();
  graph.sizes_.finish();
  graph.lay_out();
  graph.class_of_.resize(graph.numbers_.size());
  graph.size_words_.resize(graph.numbers_.size());
  graph.traces_.resize(graph.numbers_.size());
  graph.first_edge_.reserve(graph.numbers_.size() + 1);
  wrong = graph.walk(
      [&](HprofReader& in, const HprofReader::Object& object) { graph.link(in, object); }, nullptr,
      [&](std::uint64_t bytes) { progress(first_pass + bytes); });
  if (wrong) return *wrong;
  if (graph.linked_ < graph.size()) return Error{"it has changed while it was read"};
  if (graph.edges_.size() > kMaxReferences) {
    return Error{"it has more references than are read here"};
  }
  graph.first_edge_.push_back(static_cast<std::uint32_t>(graph.edges_.size()));
  return graph;
}

std::optional<Error> HeapGraph::walk(
    const std::function<void(HprofReader&, const HprofReader::Object&)>& use,
    HprofReader::ClassDetails* details, const std::function<void(std::uint64_t)>& progress) {
  HprofReader in(fd_);
  if (in.open()) id_bytes_ = in.id_bytes();
  in.keep_details_in(details);
  return walk_dump(
      in, extent_, details != nullptr ? &names_ : nullptr,
      [&](const HprofReader::Object& object) { use(in, object); }, progress);
}

// Primitive arrays name no class object in the dump; they get classes of their own here.
void HeapGraph::add_array_classes() {
  classes_.resize(kPrimitives - kFirstPrimitive);
  for (std::uint8_t element = kFirstPrimitive; element < kPrimitives; ++element) {
    classes_[element - kFirstPrimitive].element = element;
    classes_[element - kFirstPrimitive].array = true;
  }
}

void HeapGraph::learn(const HprofReader::Object& object, HprofReader::ClassDetails& details) {
  sizes_.learn(object);
  if (object.is_root()) return;
  numbers_.add(object.id);
  if (object.kind == HprofReader::kInstance) {
    std::uint32_t& most = instance_bytes_[object.of];
    most = std::max(most, object.count);
  }
  if (object.kind != HprofReader::kClass) return;
  const auto number = static_cast<std::uint32_t>(classes_.size());
  if (!class_numbers_.emplace(object.id, number).second) return;
  Class& one = classes_.emplace_back();
  one.id = object.id;
  one.super_id = object.of;
  one.loader_id = details.loader;
  one.fields = std::move(details.fields);
  for (const HprofReader::Field& field : details.statics) {
    if (field.type == kHprofReference) one.statics.push_back(field);
  }
}

void HeapGraph::lay_out() {
  for (Class& one : classes_) {
    if (one.element != 0) continue;
    one.object = numbers_.find(one.id);
    one.loader = numbers_.find(one.loader_id);
    const auto above = class_numbers_.find(one.super_id);
    if (above != class_numbers_.end()) one.super = above->second;
    const std::string name = names_.class_name(one.id);
    one.array = name.ends_with("[]");
    one.is_reference = name == "java.lang.ref.Reference";
    one.is_thread = name == "java.lang.Thread";
  }
  for (Class& one : classes_) lay_out(one);
}

// An instance has its class's fields first, then those of the class above. A damaged dump may have a
// circle of superclasses: it is left where instances have no more bytes, or, if it has no fields, at
// a depth that no class has.
void HeapGraph::lay_out(Class& one) {
  const auto known = instance_bytes_.find(one.id);
  const std::uint32_t end = known != instance_bytes_.end() ? known->second : 0;
  std::uint32_t offset = 0;
  int above = 0;
  for (const Class* at = &one; above < kMaxSupers && offset < end; ++above) {
    for (const HprofReader::Field& field : at->fields) {
      if (offset >= end) break;
      if (field.type == kHprofReference) {
        const auto position = static_cast<std::uint32_t>(one.offsets.size());
        if (at->is_reference && names_.text(field.name) == "referent") one.referent = position;
        if (at->is_thread) {
          const std::string name = names_.text(field.name);
          if (name == "contextClassLoader") one.context_loader = position;
          if (name == "parkBlocker") one.blocker = position;
        }
        one.offsets.push_back(offset);
        one.fields_of_instance.push_back(
            {static_cast<std::uint32_t>(at - classes_.data()), field.name});
      }
      offset += hprof_value_bytes(field.type, id_bytes_);
    }
    if (at->super == kNoClass) break;
    at = &classes_[at->super];
  }
}

void HeapGraph::link(HprofReader& in, const HprofReader::Object& object) {
  if (object.is_root()) {
    const ObjectNumber number = numbers_.find(object.id);
    if (object.kind == HprofReader::kThread) threads_[object.thread] = {number, object.trace};
    if (number != kNone) roots_.push_back({number, object.kind, object.thread, object.frame});
    return;
  }
  const std::uint32_t number = linked_++;
  if (number >= class_of_.size()) return;  // the file has changed
  first_edge_.push_back(static_cast<std::uint32_t>(std::min(edges_.size(), kMaxReferences)));
  size_words_[number] = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      sizes_.bytes_of(object) / 8, std::numeric_limits<std::uint32_t>::max()));
  traces_[number] = object.trace;
  const auto of = class_numbers_.find(object.kind == HprofReader::kClass ? object.id : object.of);
  HprofBytes& bytes = in.bytes();
  switch (object.kind) {
    case HprofReader::kPrimitiveArray:
      class_of_[number] = object.element - kFirstPrimitive;
      return;
    case HprofReader::kObjectArray:
      for (std::uint32_t i = 0; i < object.count && bytes.good(); ++i) {
        if (const ObjectNumber to = numbers_.find(in.id()); to != kNone) edges_.push_back(to);
      }
      break;
    case HprofReader::kClass:
      if (of == class_numbers_.end() || classes_[of->second].object != number) break;
      for (const HprofReader::Field& field : classes_[of->second].statics) {
        edges_.push_back(numbers_.find(field.value));
      }
      break;
    default: {
      if (of == class_numbers_.end()) break;
      std::uint32_t offset = 0;
      for (const std::uint32_t at : classes_[of->second].offsets) {
        if (at < offset || at + id_bytes_ > object.count) break;
        bytes.skip(at - offset);
        edges_.push_back(numbers_.find(in.id()));
        offset = at + id_bytes_;
      }
    }
  }
  class_of_[number] = of != class_numbers_.end() ? of->second : 0;
}

const HeapGraph::Thread* HeapGraph::thread(std::uint32_t serial) const {
  const auto found = threads_.find(serial);
  return found != threads_.end() ? &found->second : nullptr;
}

std::string HeapGraph::class_name(std::uint32_t number) const {
  const Class& one = classes_[number];
  return one.element != 0 ? DumpNames::array_name(one.element) : names_.class_name(one.id);
}

std::vector<ObjectNumber> HeapGraph::objects_of(std::string_view class_name) const {
  std::vector<bool> is_meant(classes_.size());
  for (std::uint32_t i = 0; i < is_meant.size(); ++i)
    is_meant[i] = this->class_name(i) == class_name;
  std::vector<ObjectNumber> objects;
  for (ObjectNumber object = 0; object < size(); ++object) {
    if (is_meant[class_of(object)] && !is_class(object)) objects.push_back(object);
  }
  return objects;
}

std::string HeapGraph::reference_name(ObjectNumber object, std::uint32_t at) const {
  const Class& one = classes_[class_of_[object]];
  const std::uint32_t own = first_edge_[object + 1] - first_edge_[object];
  if (at >= own) {
    const bool loader = is_class(object) && at == own;
    const bool super = is_class(object) && at > own;
    return class_name(class_of_[object]) + (loader ? ".<loader>" : super ? ".<super>" : ".<class>");
  }
  if (is_class(object) && at < one.statics.size()) {
    return class_name(class_of_[object]) + "." + names_.text(one.statics[at].name);
  }
  // In a damaged dump an object may be named as a class.
  if (one.array || at >= one.fields_of_instance.size()) return class_name(class_of_[object]);
  const Name& name = one.fields_of_instance[at];
  // A referent is named after the class of the reference object.
  const std::uint32_t owner = at == one.referent ? class_of_[object] : name.owner;
  return class_name(owner) + "." + names_.text(name.text);
}

// The names of threads: the only texts of objects that are read.
ObjectNumber HeapGraph::field(ObjectNumber object, std::string_view name) const {
  if (object == kNone || is_class(object)) return kNone;
  const Class& of = classes_[class_of_[object]];
  for (std::uint32_t i = 0; i < of.fields_of_instance.size(); ++i) {
    if (first_edge_[object] + i >= first_edge_[object + 1]) break;
    if (names_.text(of.fields_of_instance[i].text) == name) return edges_[first_edge_[object] + i];
  }
  return kNone;
}

std::optional<std::uint32_t> HeapGraph::offset_of(std::uint32_t of, std::string_view name) const {
  std::uint32_t offset = 0;
  for (const HprofReader::Field& field : classes_[of].fields) {
    if (names_.text(field.name) == name) return offset;
    offset += hprof_value_bytes(field.type, id_bytes_);
  }
  return std::nullopt;
}

void HeapGraph::read_thread_names() {
  struct Text {
    ObjectNumber value = kNone;
    bool utf16 = false;
  };
  // Threads may have one string, and strings one array (-XX:+UseStringDeduplication).
  std::unordered_map<ObjectNumber, ObjectNumber> names;  // strings, by thread
  std::unordered_map<ObjectNumber, Text> strings;
  std::unordered_map<ObjectNumber, std::string> values;  // by the array
  for (const auto& [serial, thread] : threads_) {
    const ObjectNumber name = field(thread.object, "name");
    const ObjectNumber value = field(name, "value");
    if (value == kNone) continue;
    names[thread.object] = name;
    strings[name].value = value;
    values.try_emplace(value);
  }
  ObjectNumber number = 0;
  walk(
      [&](HprofReader& in, const HprofReader::Object& object) {
        if (object.is_root()) return;
        const ObjectNumber here = number++;
        if (object.kind == HprofReader::kInstance) {
          const auto string = strings.find(here);
          const auto coder =
              string != strings.end() ? offset_of(class_of_[here], "coder") : std::nullopt;
          if (!coder || *coder >= object.count) return;
          in.bytes().skip(*coder);
          string->second.utf16 = in.bytes().byte() == 1;
        } else if (object.kind == HprofReader::kPrimitiveArray) {
          const auto value = values.find(here);
          if (value == values.end()) return;
          value->second = in.bytes().text(std::min(object.count, kMaxOfName));
        }
      },
      nullptr, [](std::uint64_t) {});
  thread_names_.emplace();
  for (const auto& [thread, name] : names) {
    const Text& text = strings.at(name);
    (*thread_names_)[thread] = text_of_value(values.at(text.value), text.utf16);
  }
}

std::string HeapGraph::thread_name(std::uint32_t serial) {
  if (!thread_names_) read_thread_names();
  const Thread* const one = thread(serial);
  if (one == nullptr) return {};
  const auto name = thread_names_->find(one->object);
  return name != thread_names_->end() ? name->second : std::string();
}

}  // namespace ddm
