#include "report/hprof/hprof_heap_text.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <unordered_map>
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
  std::vector<std::pair<std::uint64_t, std::uint8_t>> fields;  // own fields: name, type
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
    HprofBytes in(fd_);
    while (in.byte() != 0 && in.good()) {
    }
    id_bytes_ = static_cast<std::uint32_t>(in.integer(4));
    in.skip(8);
    if (!in.good() || (id_bytes_ != 4 && id_bytes_ != 8)) return "this is no heap dump";
    while (!in.at_end() && wanted_) {
      const std::uint8_t tag = in.byte();
      in.skip(4);
      const std::uint64_t length = in.integer(4), end = in.position() + length;
      if (tag == 0x0C || tag == 0x1C) {
        while (in.position() < end && in.good() && wanted_) {
          if (!sub_record(in)) return "the heap dump is damaged";
        }
      } else if (tag == 0x01 && !writing_ && length >= id_bytes_) {
        const std::uint64_t id = in.integer(id_bytes_);
        texts_[id] = in.text(length - id_bytes_);
      } else if (tag == 0x02 && !writing_) {
        in.skip(4);
        const std::uint64_t id = in.integer(id_bytes_);
        in.skip(4);
        classes_[id].name = in.integer(id_bytes_);
      }
      if (in.position() > end) return "the heap dump is damaged";
      in.skip(end - in.position());
    }
    return "";
  }

  bool sub_record(HprofBytes& in) {
    const std::uint8_t tag = in.byte();
    switch (tag) {
      case 0x20:
        class_dump(in);
        return in.good();
      case 0x21:
        instance(in);
        return in.good();
      case 0x22:
      case 0x23:
        return array(in, tag == 0x22);
      default:
        return root(in, tag);
    }
  }

  bool root(HprofBytes& in, std::uint8_t tag) {
    const std::uint64_t object = in.integer(id_bytes_);
    const auto serial = [&] { return in.integer(4); };
    std::string kind;
    switch (tag) {
      case 0xFF:
        kind = "<unknown>";
        break;
      case 0x01:
        kind = fmt::format("<JNI global ref>, id={:x}, trace={}", in.integer(id_bytes_), kNone);
        break;
      case 0x02:
      case 0x03: {
        const std::string_view what = tag == 0x02 ? "JNI local ref" : "Java stack";
        const auto thread = serial(), frame = serial();
        kind = fmt::format("<{}>, thread={}, frame={}", what, thread, frame);
        break;
      }
      case 0x04:
        kind = fmt::format("<native stack>, thread={}", serial());
        break;
      case 0x05:
        kind = "<system class>";
        if (writing_) kind += ", name=" + class_name(object);
        break;
      case 0x06:
        kind = fmt::format("<thread block>, thread={}", serial());
        break;
      case 0x07:
        kind = "<busy monitor>";
        break;
      case 0x08:
        kind = fmt::format("<thread>, id={}, trace={}", serial(), kNone);
        in.skip(4);
        break;
      default:
        return false;
    }
    if (writing_) line("ROOT {:x} (kind={})", object, kind);
    return in.good();
  }

  void class_dump(HprofBytes& in) {
    const std::uint64_t id = in.integer(id_bytes_);
    const std::uint64_t trace = trace_of(in.integer(4));
    DumpClass& type = classes_[id];
    const std::uint64_t super = in.integer(id_bytes_), loader = in.integer(id_bytes_),
                        signers = in.integer(id_bytes_), domain = in.integer(id_bytes_);
    in.skip(2 * std::uint64_t{id_bytes_});
    type.super = super;
    const auto fields_bytes = static_cast<std::uint32_t>(in.integer(4));
    if (!type.size_known) type.instance_bytes = fields_bytes;
    if (writing_) line("CLS {:x} (name={}, trace={})", id, class_name(id), trace);
    reference("super\t", super);
    reference("loader\t", loader);
    reference("signers\t", signers);
    reference("domain\t", domain);
    for (auto n = in.integer(2); n > 0 && in.good(); --n) {
      in.skip(2);
      const std::uint8_t kind = in.byte();
      in.skip(hprof_value_bytes(kind, id_bytes_));
    }
    for (auto n = in.integer(2); n > 0 && in.good(); --n) {
      const std::uint64_t name = in.integer(id_bytes_);
      const std::uint8_t kind = in.byte();
      const std::uint64_t value = in.integer(hprof_value_bytes(kind, id_bytes_));
      if (writing_ && kind == kHprofReference) reference("static " + text(name), value);
    }
    const bool first = type.fields.empty();
    for (auto n = in.integer(2); n > 0 && in.good(); --n) {
      const std::uint64_t name = in.integer(id_bytes_);
      const std::uint8_t kind = in.byte();
      if (first) type.fields.emplace_back(name, kind);
    }
  }

  void instance(HprofBytes& in) {
    const std::uint64_t id = in.integer(id_bytes_), trace = trace_of(in.integer(4)),
                        of = in.integer(id_bytes_), length = in.integer(4);
    const std::uint32_t size = instance_size(of);
    count(size);
    if (!writing_) return in.skip(length);
    line("OBJ {:x} (sz={}, trace={}, class={}@{:x})", id, size, trace, class_name(of), of);
    const std::uint64_t end = in.position() + length;
    // Fields of the class, then of its superclasses. A cycle is an error in the dump.
    std::uint64_t class_id = of;
    for (int above = 0; above < kMostClassesAbove && in.position() < end; ++above) {
      const auto type = classes_.find(class_id);
      if (type == classes_.end()) break;
      for (const auto& [name, kind] : type->second.fields) {
        if (in.position() >= end) break;
        const std::uint64_t value = in.integer(hprof_value_bytes(kind, id_bytes_));
        if (kind == kHprofReference) reference(text(name), value);
      }
      class_id = type->second.super;
    }
    if (in.position() < end) in.skip(end - in.position());
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

  bool array(HprofBytes& in, bool references) {
    const std::uint64_t id = in.integer(id_bytes_), trace = trace_of(in.integer(4)),
                        length = in.integer(4);
    const std::uint64_t of = references ? in.integer(id_bytes_) : 0;
    const std::uint8_t kind = references ? kHprofReference : in.byte();
    if (hprof_value_bytes(kind, id_bytes_) == 0) return false;
    const std::uint64_t size =
        aligned(sizes_.begin[kind] + length * hprof_value_bytes(kind, sizes_.reference_bytes));
    count(size);
    if (!writing_ || !references) in.skip(length * hprof_value_bytes(kind, id_bytes_));
    if (!writing_) return in.good();
    const std::string element =
        references ? fmt::format("{}@{:x}", element_of(class_name(of)), of) : primitive_name(kind);
    line("ARR {:x} (sz={}, trace={}, nelems={}, elem type={})", id, size, trace, length, element);
    for (std::uint64_t i = 0; references && i < length && in.good(); ++i) {
      if (const std::uint64_t value = in.integer(id_bytes_); value != 0) {
        line("\t[{}]\t\t{:x}", i, value);
      }
    }
    return in.good();
  }

  // The VM gives all objects the empty stack's number; all others are the stream's.
  static std::uint64_t trace_of(std::uint64_t serial) { return serial <= 1 ? kNone : serial; }

  static std::string primitive_name(std::uint8_t kind) {
    constexpr std::string_view kNames[] = {"",      "",       "",     "",      "boolean", "char",
                                           "float", "double", "byte", "short", "int",     "long"};
    return std::string(kNames[kind]);
  }
  static std::string element_of(const std::string& array_name) {
    return array_name.ends_with("[]") ? array_name.substr(0, array_name.size() - 2) : array_name;
  }
  std::uint64_t aligned(std::uint64_t bytes) const {
    return (bytes + sizes_.alignment - 1) / sizes_.alignment * sizes_.alignment;
  }

  void count(std::uint64_t bytes) {
    if (writing_) return;
    ++objects_;
    bytes_ += bytes;
  }

  void reference(const std::string& name, std::uint64_t value) {
    if (writing_ && value != 0) line("\t{}\t{:x}", name, value);
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
    const std::string name = known != classes_.end() ? text(known->second.name) : "?";
    at->second = name.starts_with("[") ? type_name_of(name) : dotted_name(name);
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
};

}  // namespace

std::string hprof_heap_text(int dump, const HprofHeapSizes& sizes, std::int64_t written_ms,
                            const ReportSink& sink) {
  return HeapText(dump, sizes, sink).write(written_ms);
}

}  // namespace ddm
