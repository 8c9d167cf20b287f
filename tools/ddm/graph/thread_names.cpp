// The names of a heap dump's threads: the only texts of objects that are read.
#include <algorithm>

#include "core/utf16.h"
#include "graph/heap_graph.h"

namespace ddm {
namespace {

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
  struct Wanted {
    ObjectNumber thread = kNone;
    bool utf16 = false;
    std::string value;
  };
  std::unordered_map<ObjectNumber, Wanted> strings;  // by themselves
  std::unordered_map<ObjectNumber, Wanted*> values;  // by the array
  for (const auto& [serial, thread] : threads_) {
    const ObjectNumber name = field(thread.object, "name");
    const ObjectNumber value = field(name, "value");
    if (value == kNone || !strings.try_emplace(name, Wanted{thread.object, false, ""}).second) {
      continue;
    }
    values[value] = &strings[name];
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
          value->second->value = in.bytes().text(std::min(object.count, kMaxOfName));
        }
      },
      nullptr, [](std::uint64_t) {});
  thread_names_.emplace();
  for (const auto& [string, wanted] : strings) {
    (*thread_names_)[wanted.thread] = text_of_value(wanted.value, wanted.utf16);
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
