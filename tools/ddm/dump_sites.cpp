#include "dump_sites.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "core/class_names.h"
#include "core/jvm_text.h"
#include "dump_sizes.h"
#include "report/hprof/hprof_reader.h"
#include "report/jdk_classes.h"
#include "stack/names/name_table.h"

namespace ddm {
namespace {

constexpr std::uint64_t kLongestName = 1 << 16;
constexpr std::uint32_t kDeepest = 1 << 16;
constexpr std::uint64_t kProgressBytes = std::uint64_t{16} << 20;

struct Place {
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;
};

class DumpReading {
 public:
  DumpReading(int fd, const std::function<void(std::uint64_t)>& progress)
      : fd_(fd), progress_(progress) {}

  Result<SitesOfDump> read() {
    if (auto wrong = walk([this](const HprofReader::Object& object) { sizes_.learn(object); })) {
      return *wrong;
    }
    first_ = false;
    if (auto wrong = walk([this](const HprofReader::Object& object) { count(object); })) {
      return *wrong;
    }
    return result();
  }

 private:
  struct Key {
    std::uint64_t of = 0;  // class, or type of element
    std::uint32_t trace = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::uint64_t>()(key.of * 0x9e3779b97f4a7c15u ^ key.trace);
    }
  };
  struct Sum {
    std::int64_t count = 0, bytes = 0;
    bool primitives = false;
  };

  template <typename Use>
  std::optional<Error> walk(Use use) {
    HprofReader in(fd_);
    std::uint64_t told = 0;
    if (in.open()) id_bytes_ = in.id_bytes();
    while (const auto record = in.next()) {
      if (record->holds_objects()) {
        while (const auto object = in.next_object()) {
          if (!object->is_root()) use(*object);
        }
      } else if (first_) {
        note(in, *record);
      }
      if (in.bytes().position() < told + kProgressBytes) continue;
      told = in.bytes().position();
      progress_(told);
    }
    if (!in.problem().empty()) return Error{in.problem()};
    return {};
  }

  void note(HprofReader& in, const HprofReader::Record& record) {
    const auto place = [&] { return Place{in.bytes().position(), in.left()}; };
    switch (record.tag) {
      case HprofReader::kText: {
        if (record.length < id_bytes_) break;
        const std::uint64_t id = in.id();
        texts_[id] = place();
        break;
      }
      case HprofReader::kLoadClass: {
        const auto serial = static_cast<std::uint32_t>(in.bytes().integer(4));
        const std::uint64_t id = in.id();
        in.bytes().integer(4);
        const std::uint64_t name = in.id();
        classes_[id] = name;
        classes_by_serial_[serial] = name;
        break;
      }
      case HprofReader::kFrame: {
        const std::uint64_t id = in.id();
        frames_[id] = place();
        break;
      }
      case HprofReader::kTrace: {
        const auto serial = static_cast<std::uint32_t>(in.bytes().integer(4));
        traces_[serial] = place();
        break;
      }
      default:
        break;
    }
  }

  void count(const HprofReader::Object& object) {
    if (object.kind == HprofReader::kClass) return;
    const bool primitives = object.kind == HprofReader::kPrimitiveArray;
    Sum& sum = sums_[{primitives ? object.element : object.of, object.trace}];
    sum.primitives = primitives;
    ++sum.count;
    sum.bytes += static_cast<std::int64_t>(sizes_.bytes_of(object));
  }

  SitesOfDump result() {
    // Stacks that look the same are one, and so are classes of several loaders.
    std::unordered_map<std::string, std::size_t> places;
    SitesOfDump dump;
    for (const auto& [key, sum] : sums_) {
      DumpSite site{class_name(key.of, sum.primitives), stack(key.trace), sum.count, sum.bytes};
      dump.count += site.count;
      dump.bytes += site.bytes;
      if (!site.stack.empty()) {
        dump.with_stack += site.count;
        dump.with_stack_bytes += site.bytes;
      }
      std::string look = site.class_name;
      for (const DumpFrame& frame : site.stack) {
        look += fmt::format("\n{}.{}{} {}", frame.name.class_name, frame.name.method,
                            frame.signature, frame.name.line);
      }
      const auto [at, fresh] = places.emplace(std::move(look), dump.sites.size());
      if (fresh) {
        dump.sites.push_back(std::move(site));
      } else {
        dump.sites[at->second].count += site.count;
        dump.sites[at->second].bytes += site.bytes;
      }
    }
    std::sort(dump.sites.begin(), dump.sites.end(), [](const DumpSite& a, const DumpSite& b) {
      return std::tuple(-a.bytes, -a.count, a.class_name) <
             std::tuple(-b.bytes, -b.count, b.class_name);
    });
    return dump;
  }

  std::string class_name(std::uint64_t of, bool primitives) {
    static constexpr std::string_view kNames[] = {"boolean", "char",  "float", "double",
                                                  "byte",    "short", "int",   "long"};
    if (primitives) return std::string(kNames[of - 4]) + "[]";
    const auto name = classes_.find(of);
    return name != classes_.end() ? type_name(text(name->second)) : "unknown";
  }

  // "java/lang/String", "[I" as Java names them.
  static std::string type_name(const std::string& internal) {
    return internal.starts_with("[") ? type_name_of(internal) : dotted_name(internal);
  }

  std::string text(std::uint64_t id) const {
    const auto place = texts_.find(id);
    if (place == texts_.end()) return id == 0 ? "" : "unknown";
    HprofBytes bytes(fd_, 1 << 12);
    bytes.skip(place->second.at);
    return utf8_of(bytes.text(std::min(place->second.bytes, kLongestName)));
  }

  std::vector<DumpFrame> stack(std::uint32_t serial) {
    const auto place = traces_.find(serial);
    std::vector<DumpFrame> result;
    if (place == traces_.end() || place->second.bytes < 8) return result;
    HprofBytes bytes(fd_, 1 << 12);
    bytes.skip(place->second.at + 4);
    const std::uint64_t most = (place->second.bytes - 8) / id_bytes_;
    for (auto n = std::min({bytes.integer(4), most, std::uint64_t{kDeepest}});
         n > 0 && bytes.good(); --n) {
      result.push_back(frame(bytes.integer(id_bytes_)));
    }
    return result;
  }

  const DumpFrame& frame(std::uint64_t id) {
    const auto [at, fresh] = shown_.try_emplace(id);
    const auto place = frames_.find(id);
    if (!fresh || place == frames_.end()) return at->second;
    HprofBytes bytes(fd_, 1 << 8);
    bytes.skip(place->second.at);
    DumpFrame& frame = at->second;
    frame.name.method = text(bytes.integer(id_bytes_));
    frame.signature = text(bytes.integer(id_bytes_));
    frame.name.file = text(bytes.integer(id_bytes_));
    const auto of = classes_by_serial_.find(static_cast<std::uint32_t>(bytes.integer(4)));
    const auto line = static_cast<std::int32_t>(bytes.integer(4));
    frame.name.class_name =
        of != classes_by_serial_.end() ? type_name(text(of->second)) : "unknown";
    frame.name.line = line > 0 ? line : line == kHprofNative ? kLineNative : kLineUnknown;
    return frame;
  }

  static constexpr std::int32_t kHprofNative = -3;

  const int fd_;
  const std::function<void(std::uint64_t)>& progress_;
  bool first_ = true;
  std::uint32_t id_bytes_ = 8;
  DumpSizes sizes_;
  std::unordered_map<std::uint64_t, Place> texts_, frames_;
  std::unordered_map<std::uint32_t, Place> traces_;
  std::unordered_map<std::uint64_t, std::uint64_t> classes_;
  std::unordered_map<std::uint32_t, std::uint64_t> classes_by_serial_;
  std::unordered_map<Key, Sum, Hash> sums_;
  std::unordered_map<std::uint64_t, DumpFrame> shown_;
};

}  // namespace

Result<SitesOfDump> read_dump_sites(int fd, const std::function<void(std::uint64_t)>& progress) {
  return DumpReading(fd, progress).read();
}

SiteFigures figures_of(const SitesOfDump& dump) {
  SiteFigures figures;
  for (const DumpSite& site : dump.sites) {
    if (site.stack.empty()) continue;
    const DumpFrame& app = site.stack[telling_frame(site.stack.size(), [&](std::size_t i) {
      return std::string_view(site.stack[i].name.class_name);
    })];
    figures.sites.push_back(
        {site.class_name, site.stack.front().name, app.name, site.bytes, site.count});
  }
  return figures;
}

}  // namespace ddm
