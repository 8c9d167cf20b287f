#include "report/hprof/hprof_binary.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/class_names.h"
#include "core/jvm_text.h"
#include "report/hprof/hprof_reader.h"

namespace ddm {
namespace {

constexpr std::string_view kMagic = "JAVA PROFILE 1.0.2";
constexpr std::size_t kIdBytes = 8;

// 0: no primitive type.
std::uint8_t primitive_type(std::string_view name) {
  const auto found = std::ranges::find(kHprofPrimitives, name);
  if (found == kHprofPrimitives.end()) return 0;
  return static_cast<std::uint8_t>(kHprofFirstPrimitive + (found - kHprofPrimitives.begin()));
}

std::string_view without_dimension(std::string_view type_name) {
  return type_name.substr(0, type_name.size() - 2);
}

}  // namespace

std::string internal_class_name(std::string_view type_name) {
  std::string dimensions;
  for (; type_name.ends_with("[]"); type_name = without_dimension(type_name)) dimensions += '[';
  if (dimensions.empty()) return internal_name(type_name);
  if (primitive_type(type_name) != 0) return dimensions + descriptor_of(type_name);
  return dimensions + "L" + internal_name(type_name) + ";";
}

std::uint8_t hprof_element_type(std::string_view type_name) {
  if (!type_name.ends_with("[]")) return 0;
  const std::uint8_t element = primitive_type(without_dimension(type_name));
  return element != 0 ? element : kHprofReference;
}

std::string HprofBinary::header() const {
  std::string out(kMagic);
  out += '\0';
  HprofBinary fields(0);
  fields.integer(kIdBytes, 4);
  fields.integer(static_cast<std::uint64_t>(created_ms_), 8);
  return out + fields.out_;
}

void HprofBinary::integer(std::uint64_t value, int bytes) {
  for (int i = bytes; i-- > 0;) out_ += static_cast<char>(value >> 8 * i);
}

void HprofBinary::saturated(std::int64_t value) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  integer(static_cast<std::uint64_t>(value < kMost ? value : kMost), 4);
}

void HprofBinary::begin(std::uint8_t tag, std::size_t body) {
  integer(tag, 1);
  integer(static_cast<std::uint32_t>(offset_us_), 4);
  integer(body, 4);
}

std::uint64_t HprofBinary::text(std::string_view jvm_text) {
  const std::string utf8 = utf8_of(jvm_text);
  const auto [id, fresh] = numbers_.text(utf8);
  if (fresh) {
    begin(HprofReader::kText, kIdBytes + utf8.size());
    integer(id, kIdBytes);
    out_ += utf8;
  }
  return id;
}

std::uint32_t HprofBinary::type(std::string_view type_name) {
  const std::string internal_name = internal_class_name(type_name);
  const auto [serial, fresh] = numbers_.type(internal_name);
  if (fresh) {
    own_types_.push_back(serial);
    const std::uint64_t name = text(internal_name);
    const std::uint32_t no_stack = empty_trace();
    begin(HprofReader::kLoadClass, 4 + kIdBytes + 4 + kIdBytes);
    integer(serial, 4);
    integer(serial, kIdBytes);  // object addresses are never that low
    integer(no_stack, 4);
    integer(name, kIdBytes);
  }
  return serial;
}

std::uint64_t HprofBinary::frame(const HprofFrame& frame, ReportNames& names) {
  const auto [id, fresh] = numbers_.frame(frame);
  if (fresh) {
    const MethodName& method = *names.method(frame.method).entry;
    const std::uint64_t name = text(method.method), signature = text(method.signature),
                        file = method.file.empty() ? 0 : text(method.file);
    const std::uint32_t of = type(method.class_name);
    begin(HprofReader::kFrame, 4 * kIdBytes + 8);
    integer(id, kIdBytes);
    integer(name, kIdBytes);
    integer(signature, kIdBytes);
    integer(file, kIdBytes);
    integer(of, 4);
    const int line = frame.line == kLineNative ? -3 : frame.line < 0 ? -1 : frame.line;
    integer(static_cast<std::uint32_t>(line), 4);
  }
  return id;
}

std::uint32_t HprofBinary::trace(std::span<const HprofFrame> stack, std::int64_t thread,
                                 ReportNames& names) {
  if (stack.empty() && thread == 0) return empty_trace();
  const auto [serial, fresh] = numbers_.trace(stack, thread);
  if (!fresh) return serial;
  // Readers may take a trace with a thread's number for that thread's own stack, so it is set only
  // on request.
  put_trace(serial, thread != 0 ? HprofNumbers::thread(thread) : 0, stack, names);
  return serial;
}

std::uint32_t HprofBinary::allocation_stack(std::span<const HprofFrame> stack, ReportNames& names) {
  const std::uint32_t serial = numbers_.new_trace();
  put_trace(serial, 0, stack, names);
  return serial;
}

void HprofBinary::put_trace(std::uint32_t serial, std::uint32_t thread,
                            std::span<const HprofFrame> stack, ReportNames& names) {
  std::vector<std::uint64_t> ids;
  for (const HprofFrame& one : stack) ids.push_back(frame(one, names));
  begin(HprofReader::kTrace, 12 + kIdBytes * ids.size());
  integer(serial, 4);
  integer(thread, 4);
  integer(ids.size(), 4);
  for (const std::uint64_t id : ids) integer(id, kIdBytes);
}

std::uint32_t HprofBinary::empty_trace() {
  const auto [serial, fresh] = numbers_.trace({});
  if (fresh) {
    begin(HprofReader::kTrace, 12);
    integer(serial, 4);
    integer(0, 4);
    integer(0, 4);
  }
  return serial;
}

void HprofBinary::settings(const HprofSettings& settings) {
  begin(HprofReader::kSettings, 6);
  integer((settings.alloc_traces ? 1u : 0u) | (settings.cpu_sampling ? 2u : 0u), 4);
  integer(settings.depth, 2);
}

void HprofBinary::thread_start(std::int64_t id, std::string_view name, std::string_view group) {
  const std::uint64_t name_id = text(name), group_id = text(group), none = text("");
  const std::uint32_t no_stack = empty_trace();
  begin(HprofReader::kThreadStart, 4 + kIdBytes + 4 + 3 * kIdBytes);
  integer(HprofNumbers::thread(id), 4);
  integer(0, kIdBytes);  // the thread object is unknown
  integer(no_stack, 4);
  integer(name_id, kIdBytes);
  integer(group_id, kIdBytes);
  integer(none, kIdBytes);  // parent of the thread group
}

void HprofBinary::thread_end(std::int64_t id) {
  begin(HprofReader::kThreadEnd, 4);
  integer(HprofNumbers::thread(id), 4);
}

void HprofBinary::traces(const HprofSites& sites, ReportNames& names, std::int64_t now_ms) {
  now(now_ms);
  for (const HprofSite& site : sites.list()) trace(sites.stack(site), site.thread, names);
}

void HprofBinary::introduce(const HprofSites& sites, ReportNames& names, std::int64_t now_ms) {
  traces(sites, names, now_ms);
  // Unescaped names: printable ones are for people.
  for (const HprofSite& site : sites.list()) type(names.table().class_name(site.class_id));
}

void HprofBinary::introduce(const HprofCosts& costs, ReportNames& names, std::int64_t now_ms) {
  now(now_ms);
  for (const HprofCost& cost : costs.list()) trace(cost.stack, 0, names);
}

void HprofBinary::sites(const HprofSites& sites, ReportNames& names, std::uint16_t flags,
                        float cutoff, std::int64_t now_ms) {
  introduce(sites, names, now_ms);
  begin(HprofReader::kSites, 34 + 25 * sites.list().size());
  integer(flags, 2);
  integer(std::bit_cast<std::uint32_t>(cutoff), 4);
  put_totals(sites.totals());
  integer(sites.list().size(), 4);
  for (const HprofSite& site : sites.list()) {
    const std::string& name = names.table().class_name(site.class_id);
    integer(hprof_element_type(name), 1);
    integer(type(name), 4);
    integer(trace(sites.stack(site), site.thread, names), 4);
    saturated(site.live_bytes);
    saturated(site.live_count);
    saturated(site.bytes);
    saturated(site.count);
  }
}

void HprofBinary::heap_summary(const HprofSite& totals, std::int64_t now_ms) {
  now(now_ms);
  begin(HprofReader::kHeapSummary, 24);
  put_totals(totals);
}

void HprofBinary::put_totals(const HprofSite& totals) {
  saturated(totals.live_bytes);
  saturated(totals.live_count);
  integer(static_cast<std::uint64_t>(totals.bytes), 8);
  integer(static_cast<std::uint64_t>(totals.count), 8);
}

void HprofBinary::cpu_samples(const HprofCosts& samples, ReportNames& names, std::int64_t now_ms) {
  introduce(samples, names, now_ms);
  begin(HprofReader::kCpuSamples, 8 + 8 * samples.list().size());
  saturated(samples.total());
  integer(samples.list().size(), 4);
  for (const HprofCost& cost : samples.list()) {
    saturated(cost.count);
    integer(trace(cost.stack, 0, names), 4);
  }
}

}  // namespace ddm
