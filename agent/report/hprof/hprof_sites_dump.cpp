#include "report/hprof/hprof_sites_dump.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "report/hprof/hprof_reader.h"

namespace ddm {
namespace {

constexpr std::size_t kSegmentBytes = std::size_t{1} << 20;
constexpr std::uint64_t kForgetBytes = std::uint64_t{64} << 20;
constexpr std::size_t kRecordHead = 9;

void put_big_endian(char* to, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<char>(value >> (24 - 8 * i));
}

class SitesDump {
 public:
  SitesDump(int dump, DumpSites& sites, const ReportSink& sink,
            const std::function<void(std::uint64_t)>& used)
      : dump_(dump),
        objects_(sites.objects),
        stacks_(sites.stacks),
        names_(sites.stacks.names),
        sink_(sink),
        used_(used) {}

  SitesDumpResult write() {
    objects_.seal_handles();
    HprofReader before(dump_);
    if (before.open()) find_class_names(before);
    HprofReader first(dump_);
    if (first.open()) read_numbers(first);
    result_.problem = first.problem();
    if (!result_.problem.empty()) return result_;
    objects_.seal_objects();
    std::ranges::sort(others_);
    HprofReader second(dump_);
    if (second.open()) copy(second);
    if (wanted_) result_.problem = second.problem();
    return result_;
  }

 private:
  // Finds the TEXTs that are class names. They precede the classes, and most texts are not.
  void find_class_names(HprofReader& in) {
    for (auto record = in.next(); record && !record->holds_objects(); record = in.next()) {
      if (record->tag != HprofReader::kLoadClass) continue;
      in.bytes().skip(4 + in.id_bytes() + 4);
      class_names_.try_emplace(in.id());
    }
  }

  // Finds the numbers used by the VM, the classes without a CLASS DUMP, and the objects of the
  // handles.
  void read_numbers(HprofReader& in) {
    traces_of_objects();
    std::unordered_set<std::uint64_t> dumped;
    while (const auto record = in.next()) {
      HprofBytes& bytes = in.bytes();
      if (record->holds_objects()) {
        while (const auto object = in.next_object()) {
          if (object->kind == HprofReader::kJniGlobal &&
              !objects_.name(object->jni_handle, object->id)) {
            others_.push_back(object->jni_handle);
          }
          if (object->kind != HprofReader::kClass) continue;
          if (dumped.empty()) trace_of_classes_ = object->trace;
          dumped.insert(object->id);
        }
      } else if (record->tag == HprofReader::kText && record->length > in.id_bytes()) {
        const std::uint64_t id = in.id();
        const auto name = class_names_.find(id);
        if (name != class_names_.end()) name->second = bytes.text(in.left());
      } else if (record->tag == HprofReader::kLoadClass) {
        read_class(in);
      } else if (record->tag == HprofReader::kFrame) {
        first_.frames = std::max(first_.frames, static_cast<std::uint32_t>(in.id()) + 1);
      } else if (record->tag == HprofReader::kTrace) {
        const auto serial = static_cast<std::uint32_t>(bytes.integer(4));
        first_.traces = std::max(first_.traces, serial + 1);
      }
    }
    for (const std::uint64_t id : loaded_) {
      if (!dumped.contains(id)) undumped_.push_back(id);
    }
    class_names_ = {};
  }

  void read_class(HprofReader& in) {
    const auto serial = static_cast<std::uint32_t>(in.bytes().integer(4));
    const std::uint64_t id = in.id();
    in.bytes().integer(4);
    const auto found = class_names_.find(in.id());
    std::string name = found != class_names_.end() ? found->second : "";
    first_.classes = std::max(first_.classes, serial + 1);
    if (!loaded_.insert(id).second) {
      // No frame refers to the number of an array class.
      if (name.starts_with('[')) repeated_.insert(serial);
      return;
    }
    // The names of hidden classes are elsewhere as in Class.getName(), with '/'.
    if (const std::size_t plus = name.rfind("+0x"); plus != std::string::npos) name[plus] = '/';
    classes_.emplace(std::move(name), serial);
  }

  // Sets serials_ to non-zero for the traces that some object has.
  void traces_of_objects() {
    objects_.for_each_trace([this](TraceNumber trace) {
      if (trace <= kEmptyTrace) return;
      if (trace >= serials_.size()) serials_.resize(std::size_t{trace} + 1);
      serials_[trace] = 1;
    });
  }

  std::span<const Frame> whole_stack(TraceNumber trace) {
    return std::span<const Frame>(frames_).first(stacks_.traces->read(trace, frames_));
  }
  std::span<const Frame> frames_of(TraceNumber trace) {
    const std::span<const Frame> all = whole_stack(trace);
    return all.subspan(stacks_.per_thread_sites && !all.empty() ? 1 : 0);
  }

  void copy(HprofReader& in) {
    out_.clear();
    bool objects_begun = false;
    std::string head;
    if (stacks_.stream == nullptr) {  // which has a header of its own
      // The dump's was parsed already, and is short.
      HprofBytes(dump_).copy(in.bytes().position(), head);
      put(head);
    }
    for (;;) {
      in.bytes().keep_in(&head);
      head.clear();
      const auto record = in.next();
      in.bytes().keep_in(nullptr);
      if (!record || !wanted_) break;
      if (record->holds_objects()) {
        if (!objects_begun) put_what_is_missing();
        objects_begun = true;
        while (wanted_ && copy_object(in)) {
        }
        forget(in.bytes().position());
        continue;
      }
      end_segment();
      if (record->tag == HprofReader::kLoadClass) {
        in.bytes().keep_in(&head);
        const auto serial = static_cast<std::uint32_t>(in.bytes().integer(4));
        in.bytes().keep_in(nullptr);
        if (repeated_.contains(serial)) {
          in.bytes().skip(in.left());
          continue;
        }
      }
      put(head);
      copy_rest(in, in.left());
    }
    end_segment();
  }

  bool copy_object(HprofReader& in) {
    const std::size_t begin = out_.size();
    in.bytes().keep_in(&out_);
    const auto object = in.next_object();
    in.bytes().keep_in(nullptr);
    if (!object) {
      out_.resize(begin);
      return false;
    }
    if (object->kind == HprofReader::kJniGlobal &&
        !std::ranges::binary_search(others_, object->jni_handle)) {
      out_.resize(begin);
      return true;
    }
    if (!object->is_root()) {
      const TraceNumber trace = objects_.trace_of(object->id);
      if (trace > kEmptyTrace && serials_[trace] != 0) {
        put_big_endian(&out_[begin + 1 + in.id_bytes()], serials_[trace]);
        // A class is not counted among the objects of a dump.
        if (object->kind != HprofReader::kClass) ++result_.with_stack;
      }
    }
    if (object->rest <= kSegmentBytes) {
      in.bytes().copy(object->rest, out_);
      if (out_.size() >= kSegmentBytes) end_segment();
      return true;
    }
    // Goes into a segment of its own, and is not held in memory.
    const std::string own = out_.substr(begin);
    out_.resize(begin);
    end_segment();
    put(segment_head(own.size() + object->rest));
    put(own);
    copy_rest(in, object->rest);
    return true;
  }

  void copy_rest(HprofReader& in, std::uint64_t bytes) {
    std::string piece;
    while (bytes > 0 && wanted_ && in.bytes().good()) {
      const std::uint64_t now = std::min<std::uint64_t>(bytes, kSegmentBytes);
      piece.clear();
      in.bytes().copy(now, piece);
      put(piece);
      bytes -= now;
    }
  }

  static std::string segment_head(std::uint64_t bytes) {
    std::string head(kRecordHead, '\0');
    head[0] = HprofReader::kSegment;
    put_big_endian(&head[5], static_cast<std::uint32_t>(bytes));
    return head;
  }

  void end_segment() {
    if (out_.empty()) return;
    put(segment_head(out_.size()));
    put(out_);
    out_.clear();
  }

  // Call before the first object.
  void put_what_is_missing() {
    std::optional<HprofBinary> alone;
    if (!stacks_.number) alone.emplace(0, first_);
    HprofBinary* const records = alone ? &*alone : stacks_.stream;
    if (records != nullptr) {
      HprofNumbers& numbers = records->numbers();
      numbers.skip_to(first_);
      for (const auto& [name, serial] : classes_) numbers.add_foreign_type(name, serial);
    }
    classes_ = {};
    if (alone) {
      put_stacks(*alone);
    } else {
      number_stacks();
    }
    if (stacks_.introduce) stacks_.introduce();
    if (records != nullptr) {
      put(records->take());
      for (const std::uint64_t id : records->own_types()) put_empty_class(id);
    }
    for (const std::uint64_t id : undumped_) put_empty_class(id);
  }

  // CLASS DUMP: u8 id, u4 trace, 6 u8 super class, loader and so on, u4 bytes of an instance, u2 of
  // constants, of static fields, of fields.
  void put_empty_class(std::uint64_t id) {
    constexpr std::size_t kBytes = 1 + 8 + 4 + 6 * 8 + 4 + 3 * 2;
    const std::size_t begin = out_.size();
    out_.resize(begin + kBytes);
    out_[begin] = HprofReader::kClass;
    put_big_endian(&out_[begin + 1], static_cast<std::uint32_t>(id >> 32));
    put_big_endian(&out_[begin + 5], static_cast<std::uint32_t>(id));
    put_big_endian(&out_[begin + 9], trace_of_classes_);
  }

  void put_stacks(HprofBinary& records) {
    for (TraceNumber trace = 0; trace < serials_.size() && wanted_; ++trace) {
      if (serials_[trace] == 0) continue;
      const auto shown =
          hprof_stack(frames_of(trace), names_, {.depth = kMaxTreeDepth, .bcis = true});
      serials_[trace] = shown.empty() ? 0 : records.allocation_stack(shown, names_);
      put(records.take());
    }
  }

  void number_stacks() {
    for (TraceNumber trace = 0; trace < serials_.size(); ++trace) {
      if (serials_[trace] != 0) serials_[trace] = stacks_.number(whole_stack(trace), names_);
    }
  }

  void put(std::string_view piece) { wanted_ = wanted_ && sink_(piece); }

  void forget(std::uint64_t position) {
    if (position < forgotten_ + kForgetBytes) return;
    forgotten_ = position;
    used_(position);
  }

  const int dump_;
  DumpedObjects& objects_;
  const DumpStacks& stacks_;
  ReportNames names_;
  const ReportSink& sink_;
  const std::function<void(std::uint64_t)>& used_;

  HprofFirst first_{1, 1, 1, 1};
  std::unordered_map<std::uint64_t, std::string> class_names_;  // by their TEXT ids
  std::unordered_map<std::string, std::uint32_t> classes_;      // by internal name
  std::unordered_set<std::uint64_t> loaded_;                    // classes defined in the dump
  std::unordered_set<std::uint32_t> repeated_;                  // numbers of duplicate definitions
  std::vector<std::uint64_t> undumped_;  // classes defined without a CLASS DUMP
  std::uint32_t trace_of_classes_ = 0;   // in the VM's CLASS DUMPs
  std::vector<std::uint64_t> others_;    // JNI handles that are not the agent's
  std::vector<std::uint32_t> serials_;   // by trace; 0: no object has it
  std::array<Frame, kMaxTreeDepth> frames_;
  std::string out_;  // of a segment
  bool wanted_ = true;
  std::uint64_t forgotten_ = 0;
  SitesDumpResult result_;
};

}  // namespace

SitesDumpResult write_sites_dump(int dump, DumpSites& sites, const ReportSink& sink,
                                 const std::function<void(std::uint64_t)>& used) {
  return SitesDump(dump, sites, sink, used).write();
}

}  // namespace ddm
