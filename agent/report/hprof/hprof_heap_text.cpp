#include "report/hprof/hprof_heap_text.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>
#include <vector>

#include "core/class_names.h"
#include "core/jvm_text.h"
#include "report/hprof/hprof_numbers.h"
#include "report/hprof/hprof_reader.h"
#include "report/hprof/hprof_text.h"
#include "report/report_pieces.h"

namespace ddm {
namespace {

struct DumpClass {
  std::uint64_t name = 0;  // id of a text
  std::uint64_t super = 0;
  std::uint32_t instance_bytes = 0;
  bool size_known = false;
  std::vector<HprofReader::Field> fields;  // own fields
};

class HeapText {
 public:
  HeapText(int fd, const HprofHeapSizes& sizes, const ReportSink& sink)
      : fd_(fd), sizes_(sizes), pieces_(sink) {}

  std::string write(std::int64_t written_ms) {
    if (std::string error = walk(); !error.empty()) return error;
    writing_ = true;
    line("HEAP DUMP BEGIN ({} objects, {} bytes) {}", objects_, bytes_, hprof_date(written_ms));
    if (std::string error = walk(); !error.empty()) return error;
    line("HEAP DUMP END");
    pieces_.finish();
    return "";
  }

 private:
  std::string walk() {
    HprofReader in(fd_);
    if (!in.open()) return "this is no heap dump";
    id_bytes_ = in.id_bytes();
    in.keep_details_in(&details_);
    for (auto record = in.next(); record && wanted_; record = in.next()) {
      if (record->holds_objects()) {
        for (auto object = in.next_object(); object && wanted_; object = in.next_object()) {
          take(in, *object);
        }
      } else if (!writing_) {
        take_name(in, *record);
      }
    }
    return in.problem().empty() ? "" : "the heap dump is damaged";
  }

  void take_name(HprofReader& in, const HprofReader::Record& record) {
    if (record.tag == HprofReader::kText && record.length >= id_bytes_) {
      const std::uint64_t id = in.id();
      texts_[id] = in.bytes().text(in.left());
    } else if (record.tag == HprofReader::kLoadClass) {
      in.bytes().skip(4);
      const std::uint64_t id = in.id();
      in.bytes().skip(4);
      classes_[id].name = in.id();
    }
  }

  void take(HprofReader& in, const HprofReader::Object& object) {
    if (object.is_root()) {
      if (writing_) line("ROOT {:x} (kind={})", object.id, kind_of(object));
    } else if (object.kind == HprofReader::kClass) {
      take_class(object);
    } else if (object.kind == HprofReader::kInstance) {
      take_instance(in, object);
    } else {
      take_array(in, object);
    }
  }

  std::string kind_of(const HprofReader::Object& root) {
    switch (root.kind) {
      case HprofReader::kJniGlobal:
        return fmt::format("<JNI global ref>, id={:x}, trace={}", root.jni_handle, kNone);
      case HprofReader::kJniLocal:
        return fmt::format("<JNI local ref>, thread={}, frame={}", root.thread, root.frame);
      case HprofReader::kJavaFrame:
        return fmt::format("<Java stack>, thread={}, frame={}", root.thread, root.frame);
      case HprofReader::kNativeStack:
        return fmt::format("<native stack>, thread={}", root.thread);
      case HprofReader::kStickyClass:
        return "<system class>, name=" + class_name(root.id);
      case HprofReader::kThreadBlock:
        return fmt::format("<thread block>, thread={}", root.thread);
      case HprofReader::kMonitor:
        return "<busy monitor>";
      case HprofReader::kThread:
        return fmt::format("<thread>, id={}, trace={}", root.thread, kNone);
      default:
        return "<unknown>";
    }
  }

  void take_class(const HprofReader::Object& object) {
    if (!writing_) {
      DumpClass& type = classes_[object.id];
      type.super = object.of;
      if (!type.size_known) type.instance_bytes = details_.instance_bytes;
      if (type.fields.empty()) type.fields = std::move(details_.fields);
      return;
    }
    line("CLS {:x} (name={}, trace={})", object.id, class_name(object.id), trace_of(object.trace));
    reference("super\t", object.of);
    reference("loader\t", details_.loader);
    reference("signers\t", details_.signers);
    reference("domain\t", details_.domain);
    for (const HprofReader::Field& field : details_.statics) {
      if (field.type == kHprofReference) reference("static " + text(field.name), field.value);
    }
  }

  void take_instance(HprofReader& in, const HprofReader::Object& object) {
    const std::uint32_t size = instance_size(object.of);
    if (!writing_) return count(size);
    line("OBJ {:x} (sz={}, trace={}, class={}@{:x})", object.id, size, trace_of(object.trace),
         class_name(object.of), object.of);
    HprofBytes& bytes = in.bytes();
    const std::uint64_t end = bytes.position() + object.rest;
    // Fields of the class, then of its superclasses. A cycle is an error in the dump.
    std::uint64_t class_id = object.of;
    for (int above = 0; above < kMostClassesAbove && bytes.position() < end; ++above) {
      const auto type = classes_.find(class_id);
      if (type == classes_.end()) break;
      for (const HprofReader::Field& field : type->second.fields) {
        if (bytes.position() >= end) break;
        const std::uint64_t value = bytes.integer(hprof_value_bytes(field.type, id_bytes_));
        if (field.type == kHprofReference) reference(text(field.name), value);
      }
      class_id = type->second.super;
    }
  }

  std::uint32_t instance_size(std::uint64_t of) {
    const auto type = classes_.find(of);
    if (type == classes_.end()) return 0;
    if (!type->second.size_known) {
      const auto name = texts_.find(type->second.name);
      const auto size =
          name != texts_.end() ? sizes_.instances.find(name->second) : sizes_.instances.end();
      if (size != sizes_.instances.end()) type->second.instance_bytes = size->second;
      type->second.size_known = true;
    }
    return type->second.instance_bytes;
  }

  void take_array(HprofReader& in, const HprofReader::Object& array) {
    const std::uint64_t elements = array.count;
    const std::uint64_t size =
        aligned(sizes_.begin[array.element] +
                elements * hprof_value_bytes(array.element, sizes_.reference_bytes));
    if (!writing_) return count(size);
    const bool references = array.element == kHprofReference;
    const std::string element =
        references ? fmt::format("{}@{:x}", element_of(class_name(array.of)), array.of)
                   : std::string(kHprofPrimitives[array.element - kHprofFirstPrimitive]);
    line("ARR {:x} (sz={}, trace={}, nelems={}, elem type={})", array.id, size,
         trace_of(array.trace), elements, element);
    for (std::uint64_t i = 0; references && i < elements && in.bytes().good(); ++i) {
      if (const std::uint64_t value = in.id(); value != 0) line("\t[{}]\t\t{:x}", i, value);
    }
  }

  // The VM gives all objects the empty stack's number; all others are the stream's.
  static std::uint32_t trace_of(std::uint32_t serial) { return serial <= 1 ? kNone : serial; }

  static std::string element_of(const std::string& array_name) {
    return array_name.ends_with("[]") ? array_name.substr(0, array_name.size() - 2) : array_name;
  }
  std::uint64_t aligned(std::uint64_t bytes) const {
    return (bytes + sizes_.alignment - 1) / sizes_.alignment * sizes_.alignment;
  }

  void count(std::uint64_t bytes) {
    ++objects_;
    bytes_ += bytes;
  }

  void reference(const std::string& name, std::uint64_t value) {
    if (value != 0) line("\t{}\t{:x}", name, value);
  }

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(pieces_.text()), format, std::forward<Args>(args)...);
    pieces_.text() += '\n';
    wanted_ = pieces_.wanted();
  }

  std::string text(std::uint64_t id) const {
    const auto at = texts_.find(id);
    return at != texts_.end() ? printable(at->second) : "?";
  }
  // Java names of "java/lang/String" and "[I".
  const std::string& class_name(std::uint64_t id) {
    const auto [at, fresh] = names_.try_emplace(id);
    if (!fresh) return at->second;
    const auto known = classes_.find(id);
    at->second = type_name_in_dump(known != classes_.end() ? text(known->second.name) : "?");
    return at->second;
  }

  static constexpr std::uint32_t kNone = HprofNumbers::kTraces;
  static constexpr int kMostClassesAbove = 1000;

  const int fd_;
  const HprofHeapSizes& sizes_;
  ReportPieces pieces_;
  bool writing_ = false, wanted_ = true;
  std::uint32_t id_bytes_ = 8;
  std::uint64_t objects_ = 0, bytes_ = 0;
  std::unordered_map<std::uint64_t, std::string> texts_, names_;
  std::unordered_map<std::uint64_t, DumpClass> classes_;
  HprofReader::ClassDetails details_;  // of the class that was read last
};

}  // namespace

std::string hprof_heap_text(int dump, const HprofHeapSizes& sizes, std::int64_t written_ms,
                            const ReportSink& sink) {
  return HeapText(dump, sizes, sink).write(written_ms);
}

}  // namespace ddm
