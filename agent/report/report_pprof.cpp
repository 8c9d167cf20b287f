// The report for pprof: a gzipped Profile message of profile.proto, with alloc_objects and
// alloc_space, and with live= inuse_objects and inuse_space. As in the collapsed report the leaf of
// a stack is the class, which is a label, too. For time alone it has samples and cpu, or calls and
// time of methods, or contentions and delay, with labels for the class and the kind of waiting.
//
//   Profile   1 sample_type*  2 sample*  4 location*  5 function*  6 string*  9 time_nanos
//             10 duration_nanos  11 period_type  12 period  13 comment*  14 default_sample_type
//   ValueType 1 type  2 unit                     Sample   1 location*  2 value*  3 label*
//   Location  1 id  3 address  4 line*           Line     1 function  2 line
//   Function  1 id  2 name  3 system_name  4 filename      Label  1 key  2 text
//   Texts are indices into the string table, whose first entry is "".
//   An address is a hash of the function's texts and the line: readers that subtract a profile from
//   the next one (Grafana Alloy) know a stack again by the addresses alone.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allocations/store/small_sites.h"
#include "core/deflate_sink.h"
#include "core/jvm_text.h"
#include "report/protobuf_writer.h"
#include "report/report.h"
#include "report/report_names.h"
#include "report/report_time.h"
#include "report/report_words.h"

namespace ddm {
namespace {

class PprofWriter {
 public:
  PprofWriter(const ReportData& data, const ReportSink& sink)
      : data_(data),
        names_(data.names),
        gzip_(DeflateSink::Format::kGzip, Z_DEFAULT_COMPRESSION, sink) {}

  void write() {
    text("");
    write_moments();
    if (has_time_only(data_)) {
      write_time();
    } else {
      write_facts();
      write_allocations();
    }
    hand_on();
    gzip_.finish();
  }

 private:
  void write_allocations() {
    if (data_.sites.counted()) return write_sites();
    struct Amount {
      double count = 0, bytes = 0;
    };
    std::map<Stack, Amount> sums;  // class by class
    for (std::size_t i = 0; i < data_.records.size(); ++i) {
      const auto [record, frames] = data_.records[i];
      Amount& sum = sums[{record.class_id, (record.flags & kStackTruncated) != 0, frames}];
      sum.count += double{record.weight};
      sum.bytes += record.weighted_bytes();
    }
    Rest count, bytes;
    for (const auto& [stack, sum] : sums) {
      begin_allocation(stack.class_id);
      add_frames(stack.frames, stack.cut);
      add_sample({count.take(sum.count), bytes.take(sum.bytes)});
    }
  }

  struct Stack {
    NameId class_id;
    bool cut;
    std::span<const Frame> frames;
    friend bool operator<(const Stack& a, const Stack& b) {
      if (std::tie(a.class_id, a.cut) != std::tie(b.class_id, b.cut)) {
        return std::tie(a.class_id, a.cut) < std::tie(b.class_id, b.cut);
      }
      return std::ranges::lexicographical_compare(a.frames, b.frames, {}, values_of, values_of);
    }
    static std::pair<NameId, std::int32_t> values_of(const Frame& frame) {
      return {frame.method, frame.bci};
    }
  };

  // For how long that was measured which write_time() tells.
  std::int64_t time_ns() const {
    const TimeData& time = data_.time;
    if (time.sampler) return time.sampler->on_ns;
    return time.methods.empty() ? time.locks_ns : time.methods_ns;
  }

  void write_moments() {
    constexpr std::int64_t kNanos = 1'000'000;
    const std::int64_t ns = has_time_only(data_) ? time_ns() : data_.summary.tracked_ms * kNanos;
    profile_.add_integer(9, static_cast<std::uint64_t>(data_.summary.written_ms * kNanos - ns));
    profile_.add_integer(10, static_cast<std::uint64_t>(ns));
  }

  void write_time() {
    const TimeStacks stacks = TimeStacks::first_of(data_.time);
    const bool sampled = stacks.of == TimeStacks::Of::kSamples;
    const bool locks = stacks.of == TimeStacks::Of::kLocks;
    const bool wall = sampled && data_.time.sampler && data_.time.sampler->wall;
    const auto [counted, measured] = wall      ? std::pair("samples", "wall")
                                     : sampled ? std::pair("samples", "cpu")
                                     : locks   ? std::pair("contentions", "delay")
                                               : std::pair("calls", "time");
    const std::int64_t each = sampled && data_.time.sampler ? data_.time.sampler->requested_ns : 1;
    add_type(1, counted, "count");
    add_type(1, measured, "nanoseconds");
    add_type(11, measured, "nanoseconds");
    profile_.add_integer(12, static_cast<std::uint64_t>(each));
    profile_.add_integer(14, text(measured));
    for (const TimeStack& stack : stacks.list) {
      if (locks) {
        add_label("kind", name_of(stack.kind));
        if (stack.class_id != kUnknownName) {
          add_label("class", names_.class_name(stack.class_id));
        }
      }
      add_frames(stack.frames, stack.cut);
      if (stack_.empty()) stack_.push_back(location_of(kNoJavaFrames));
      add_sample({stack.count, stack.amount * each});
    }
  }

  void write_facts() {
    add_type(1, "alloc_objects", "count");
    add_type(1, "alloc_space", "bytes");
    if (data_.summary.live) {
      add_type(1, "inuse_objects", "count");
      add_type(1, "inuse_space", "bytes");
    }
    const ReportSummary& summary = data_.summary;
    add_type(11, "space", "bytes");
    profile_.add_integer(12,
                         static_cast<std::uint64_t>(std::max<std::int64_t>(summary.interval, 1)));
    if (summary.sampled()) add_comment("{}{}", kPprofEstimated, sampling_words(summary));
    if (summary.seen_at_least) add_comment("{}", kLowerBounds);
    if (summary.live) {
      add_comment("inuse: as of collection {}{}", summary.live->gc,
                  summary.live_is_estimated() ? ", estimated" : "");
    }
    if (const auto shown = shown_by_engine(summary); !shown.empty()) {
      add_comment("engine={}: {}", summary.engine, shown);
    }
    if (summary.of_native_memory()) {
      add_comment("blocks of malloc that are not freed");
    } else if (!data_.sites.counted()) {
      add_comment("{}", kPprofRecentOnly);
    }
    if (!summary.vm.empty()) add_comment("{}{}", kPprofVm, summary.vm);
    profile_.add_integer(14, text("alloc_space"));
  }

  template <typename... Args>
  void add_comment(fmt::format_string<Args...> format, Args&&... args) {
    profile_.add_integer(13, text(fmt::format(format, std::forward<Args>(args)...)));
  }

  // From node to caller. A frame takes two bytes here, few of which are left after compression.
  void write_sites() {
    constexpr std::size_t kFrames = 16 * kSpeltOutFrames;
    const SiteSet sites = data_.sites.folded(kFrames);
    const CallTree& tree = sites.traces();
    std::vector<std::uint32_t> locations(std::size_t{tree.last()} + 1);  // by TraceNumber
    for (const Site& site : sites.list()) {
      std::vector<std::int64_t> values{site.count, site.bytes};
      if (data_.summary.live) {
        values.insert(values.end(), {site.life.live_count, site.life.live_bytes});
      }
      begin_allocation(site.class_id);
      TraceNumber node = site.trace;
      if (site.innermost || tree.has_gap(node)) {
        const Frame innermost = site.innermost.value_or(tree.frame(node));
        stack_.push_back(location(innermost));
        if (innermost.method != kLeftOutName) stack_.push_back(location(kLeftOut));
        if (!site.innermost) node = tree.caller(node);
      }
      for (; node > kCutTrace; node = tree.caller(node)) {
        std::uint32_t& there = locations[node];
        if (there == 0) there = static_cast<std::uint32_t>(location(tree.frame(node)));
        stack_.push_back(there);
      }
      if (node == kCutTrace) stack_.push_back(location_of(kDeeperFramesCut));
      add_sample(values);
    }
  }

  void add_type(std::uint32_t field, std::string_view type, std::string_view unit) {
    ProtobufWriter message;
    message.add_integer(1, text(type));
    message.add_integer(2, text(unit));
    profile_.add_message(field, message);
  }

  // The class stands inside of the frames.
  void begin_allocation(NameId class_id) {
    const std::string& class_name = names_.class_name(class_id);
    stack_.push_back(class_location(class_id, class_name));
    add_label("class", class_name);
  }

  void add_label(std::string_view key, std::string_view value) {
    ProtobufWriter label;
    label.add_integer(1, text(key));
    label.add_integer(2, text(value));
    sample_.add_message(3, label);
  }

  void add_frames(std::span<const Frame> frames, bool cut) {
    for (const Frame& frame : frames) stack_.push_back(location(frame));
    if (cut) stack_.push_back(location_of(kDeeperFramesCut));
  }

  // With the labels and the stack added since the last one.
  void add_sample(const std::vector<std::int64_t>& values) {
    const std::vector<std::uint64_t> numbers(values.begin(), values.end());
    sample_.add_packed(1, stack_);
    sample_.add_packed(2, numbers);
    profile_.add_message(2, sample_);
    stack_.clear();
    sample_.clear();
    if (profile_.bytes().size() >= kPieceBytes) hand_on();
  }

  std::uint64_t location(const Frame& frame) {
    const int line = names_.line(frame);
    const std::uint64_t key = std::uint64_t{frame.method} << 32 | static_cast<std::uint32_t>(line);
    const auto [at, fresh] = locations_.emplace(key, last_location_ + 1);
    if (fresh) add_location(function(frame.method), line);
    return at->second;
  }
  std::uint64_t class_location(NameId class_id, const std::string& class_name) {
    const auto [at, fresh] = class_locations_.emplace(class_id, last_location_ + 1);
    if (fresh) add_location(add_function(class_name + "_[new]", class_name, ""), kLineUnknown);
    return at->second;
  }
  // Of words in place of a frame.
  std::uint64_t location_of(std::string_view words) {
    const auto [at, fresh] = word_locations_.emplace(words, last_location_ + 1);
    if (fresh) add_location(add_function(std::string(words), "", ""), kLineUnknown);
    return at->second;
  }
  void add_location(std::uint64_t function, int line) {
    const auto shown_line = static_cast<std::uint64_t>(std::max(line, 0));
    ProtobufWriter where;
    where.add_integer(1, function);
    if (shown_line > 0) where.add_integer(2, shown_line);
    ProtobufWriter location;
    location.add_integer(1, ++last_location_);
    location.add_integer(3, (function_hashes_[function - 1] + shown_line * kSpread) >> 16);
    location.add_message(4, where);
    profile_.add_message(4, location);
  }

  std::uint64_t function(NameId id) {
    const auto [at, fresh] = functions_.emplace(id, last_function_ + 1);
    if (fresh) {
      const PrintableMethod& method = names_.method(id);
      add_function(method.qualified, method.qualified + method.entry->signature, method.file);
    }
    return at->second;
  }
  std::uint64_t add_function(const std::string& name, const std::string& system_name,
                             const std::string& file) {
    ProtobufWriter function;
    function.add_integer(1, ++last_function_);
    function.add_integer(2, text(name));
    function.add_integer(3, text(system_name));
    function.add_integer(4, text(file));
    profile_.add_message(5, function);
    function_hashes_.push_back(
        std::hash<std::string>()(fmt::format("{}\n{}\n{}", name, system_name, file)));
    return last_function_;
  }

  // A string of proto3 is UTF-8, which a descriptor or a name from a ring file may not be.
  std::uint64_t text(std::string_view text) {
    const auto [at, fresh] = texts_.emplace(utf8_of(text), texts_.size());
    if (fresh) profile_.add_bytes(6, at->first);
    return at->second;
  }

  void hand_on() {
    gzip_.add(profile_.bytes());
    profile_.clear();
  }

  static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  // 2^64 by the golden ratio: multiples of it differ in their upper 48 bits.
  static constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;
  static constexpr std::string_view kNoJavaFrames = "(no Java frame)";
  static constexpr Frame kLeftOut = {kLeftOutName, kNativeFrameBci};

  const ReportData& data_;
  ReportNames names_;
  DeflateSink gzip_;
  ProtobufWriter profile_;            // not written yet: fields may be in any order
  std::vector<std::uint64_t> stack_;  // of the sample that is being put together
  ProtobufWriter sample_;             // its labels
  std::unordered_map<std::string, std::uint64_t> texts_;
  std::unordered_map<std::uint64_t, std::uint64_t> locations_;  // by method and line
  std::unordered_map<NameId, std::uint64_t> class_locations_, functions_;
  std::unordered_map<std::string_view, std::uint64_t> word_locations_;
  std::vector<std::uint64_t> function_hashes_;  // of functions 1, 2 ...
  std::uint64_t last_location_ = 0, last_function_ = 0;
};

}  // namespace

void pprof_report(const ReportData& data, const ReportSink& sink) {
  PprofWriter(data, sink).write();
}

}  // namespace ddm
