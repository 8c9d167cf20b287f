#include "native/native_marks.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "marks.h"
#include "report/report.h"
#include "wire/sockets/discovery.h"
#include "wire/sockets/owned_file.h"

namespace ddm {
namespace {

constexpr std::string_view kNativeMarkEnding = ".nhgt";
constexpr std::size_t kMaxNativeMark = std::size_t{1} << 30;

//   u8 process start, u4 period, then NHGT
constexpr std::size_t kNativeMarkHead = 12;

std::string native_mark_path(const std::string& directory, const NativeMoment& of,
                             const std::string& name) {
  return mark_path(directory, of.pid, name, kNativeMarkEnding);
}

}  // namespace

std::optional<Error> set_native_mark(const std::string& name, const NativeMoment& now,
                                     const NativeHeap& heap) {
  const auto directory = marks_directory();
  if (!directory) return directory.error();
  for (const MarkFile& mark : list_marks(*directory, kNativeMarkEnding)) {
    if (!process_start_time(static_cast<pid_t>(mark.pid))) unlink(mark.path.c_str());
  }
  ByteWriter head;
  head.u8(now.process_start);
  head.u4(now.period);
  std::string text;
  for (const Bytes& part : {head.take(), heap.encode()}) text.append(part.begin(), part.end());
  const mode_t former = umask(S_IRWXG | S_IRWXO);
  const std::string problem = write_report_file(native_mark_path(*directory, now, name), text);
  umask(former);
  if (!problem.empty()) return Error{problem};
  return {};
}

Result<NativeHeap> find_native_mark(const std::string& name, const NativeMoment& now) {
  const auto directory = marks_directory();
  if (!directory) return directory.error();
  const auto text =
      read_owned_file(native_mark_path(*directory, now, name), geteuid(), kMaxNativeMark);
  if (!text || text->size() < kNativeMarkHead) {
    return Error{fmt::format("process {} has no mark '{}' of native memory; --mark {} sets one",
                             now.pid, name, name)};
  }
  const ByteSpan bytes(reinterpret_cast<const std::uint8_t*>(text->data()), text->size());
  ByteReader head(bytes);
  const std::uint64_t start = head.u8();
  const std::uint32_t period = head.u4();
  if (start != now.process_start) {
    return Error{fmt::format(
        "mark '{}' is of an earlier program that was process {}; set it again with --mark {}", name,
        now.pid, name)};
  }
  if (period != now.period) {
    return Error{
        fmt::format("since mark '{}' native sampling was switched off and on again, and all "
                    "figures began anew; set it again with --mark {}",
                    name, name)};
  }
  auto heap = NativeHeap::decode(head.rest());
  if (!heap) return Error{fmt::format("mark '{}' is damaged; set it again", name)};
  return std::move(*heap);
}

}  // namespace ddm
