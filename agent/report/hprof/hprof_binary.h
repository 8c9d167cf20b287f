// hprof's binary stream, record by record (big-endian): header "JAVA PROFILE 1.0.2", then
// u1 tag, u4 microseconds since the header's time, u4 length of the body, body.
//
//   01 text    u8 id, UTF-8                     02 class   u4 serial, u8 id, u4 trace, u8 name
//   04 frame   u8 id, u8 method, u8 signature, u8 file, u4 class serial, i4 line
//   05 trace   u4 serial, u4 thread, u4 n, n u8 frame, the innermost first
//   06 sites   07 heap summary    0A thread start    0B thread end    0D CPU samples    0E settings
//
// Figures that exceed four bytes are written as 0xFFFFFFFF; hprof's wrapped around. A record is
// always preceded by the records that it refers to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/hprof/hprof_numbers.h"
#include "report/hprof/hprof_sites.h"
#include "report/report.h"

namespace ddm {

struct HprofSettings {
  bool alloc_traces = false;
  bool cpu_sampling = false;
  std::uint16_t depth = 0;
};

// Flags of 06, and of the command that asks for it.
inline constexpr std::uint16_t kHprofByAllocation = 2, kHprofAfterGc = 4;

class HprofBinary {
 public:
  // `created_ms`: the time in the header.
  explicit HprofBinary(std::int64_t created_ms, const HprofFirst& first = {})
      : created_ms_(created_ms), numbers_(first) {}

  // The beginning of the stream.
  std::string header() const;

  // These append to the stream.
  void settings(const HprofSettings& settings);
  void thread_start(std::int64_t id, std::string_view name, std::string_view group);
  void thread_end(std::int64_t id);
  // Stacks of the sites that are not in the stream yet.
  void traces(const HprofSites& sites, ReportNames& names, std::int64_t now_ms);
  // The records that the table refers to and that are missing yet, then the table.
  void sites(const HprofSites& sites, ReportNames& names, std::uint16_t flags, float cutoff,
             std::int64_t now_ms);
  void heap_summary(const HprofSite& totals, std::int64_t now_ms);
  void cpu_samples(const HprofCosts& samples, ReportNames& names, std::int64_t now_ms);
  // The number of a stack, after writing it if it is new. `thread`: 0 = of no thread.
  std::uint32_t trace(std::span<const HprofFrame> stack, std::int64_t thread, ReportNames& names);
  // A stack that occurs only once, of no thread.
  std::uint32_t allocation_stack(std::span<const HprofFrame> stack, ReportNames& names);
  // Writes the stacks and classes of these tables, so that the tables can follow a heap dump, where
  // readers of dumps accept no more classes.
  void introduce(const HprofSites& sites, ReportNames& names, std::int64_t now_ms);
  void introduce(const HprofCosts& costs, ReportNames& names, std::int64_t now_ms);
  // For the classes that a heap dump in this stream defines, by internal_class_name(), and the
  // numbers that it has used.
  HprofNumbers& numbers() { return numbers_; }
  // Text since the last take() may be lost: everything is written again when it is referred to.
  void forget_written() {
    out_.clear();
    own_types_.clear();
    numbers_.forget();
  }
  // Ids of the classes that this stream has defined itself, which no dump of the VM contains.
  const std::vector<std::uint64_t>& own_types() const { return own_types_; }

  // Text appended since the last call.
  std::string take() { return std::exchange(out_, {}); }

 private:
  void begin(std::uint8_t tag, std::size_t body);
  void integer(std::uint64_t value, int bytes);
  void saturated(std::int64_t value);
  std::uint64_t text(std::string_view jvm_text);
  std::uint32_t type(std::string_view type_name);
  std::uint64_t frame(const HprofFrame& frame, ReportNames& names);
  void put_trace(std::uint32_t serial, std::uint32_t thread, std::span<const HprofFrame> stack,
                 ReportNames& names);
  std::uint32_t empty_trace();
  void put_totals(const HprofSite& totals);
  void now(std::int64_t now_ms) { offset_us_ = 1000 * (now_ms - created_ms_); }

  const std::int64_t created_ms_;
  std::int64_t offset_us_ = 0;
  HprofNumbers numbers_;
  std::vector<std::uint64_t> own_types_;
  std::string out_;
};

// "a.B$C[]" -> "[La/B$C;", "int[]" -> "[I", "a.B" -> "a/B".
std::string internal_class_name(std::string_view type_name);

// 0: no array, 2: an array of objects, 4 to 11: of a primitive type, as in class files.
std::uint8_t hprof_element_type(std::string_view type_name);

}  // namespace ddm
