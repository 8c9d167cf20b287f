// The ring file's reader and the reports made of what it gives. An input is a whole file; one that
// does not begin like a ring file is put behind a good head, so that the fuzzer gets past it.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "allocations/store/ring_layout.h"
#include "report/recovery/ring_reader.h"
#include "report/report.h"

namespace {

constexpr std::uint64_t kHalfBytes = 1024;
constexpr std::uint32_t kNodes = 64, kBooks = 4;
constexpr std::size_t kLargestImage = 32768;

ddm::RingHeader good_head(std::uint8_t choice) {
  ddm::RingHeader header =
      ddm::ring_header(choice % 16 + 1, choice / 16 % 8 + 1, choice / 128 * kNodes);
  header.names_half_bytes = kHalfBytes;
  header.threads_half_bytes = kHalfBytes;
  header.threads_at = header.names_at + sizeof(ddm::NameSection) + 2 * kHalfBytes;
  header.slots_at = header.threads_at + sizeof(ddm::NameSection) + 2 * kHalfBytes;
  header.nodes_at = header.slots_at + std::uint64_t{header.records} * header.slot_bytes;
  header.frames_at = header.nodes_at + header.nodes * sizeof(ddm::TreeCopy::Node);
  if (header.nodes != 0) header.books = kBooks;
  header.file_bytes = header.sites_at() + ddm::SiteCopy::bytes_of(header.sites, header.books);
  header.checksum = ddm::ring_checksum(header);
  return header;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  alignas(64) static std::byte image[kLargestImage];
  std::size_t bytes = std::min(size, kLargestImage);
  std::memset(image, 0, sizeof image);
  if (size >= 8 && std::memcmp(data, ddm::kRingMagic.data(), 8) == 0) {
    std::memcpy(image, data, bytes);
  } else if (size > 0) {
    // One byte for the layout, then: marks and facts, both name sections, slots, nodes, frames, sites.
    const ddm::RingHeader header = good_head(data[0]);
    std::memcpy(image, &header, sizeof header);
    constexpr std::size_t kMarksBytes = sizeof(ddm::RingMarks);
    std::size_t from = 1;
    const auto put = [&](std::size_t at, std::size_t most) {
      const std::size_t n = std::min({most, size - from, kLargestImage - at});
      std::memcpy(image + at, data + from, n);
      from += n;
    };
    put(ddm::kRingMarksAt, kMarksBytes);
    put(ddm::kRingFactsAt, 112);
    put(header.names_at, 512);
    put(header.threads_at, 256);
    put(header.slots_at, kLargestImage - header.slots_at);
    bytes = std::min<std::size_t>(kLargestImage, header.file_bytes);
  }
  const auto ring = ddm::read_ring({image, bytes});
  if (!ring) return 0;
  const auto nowhere = [](std::string_view) { return true; };
  ddm::summary_report(ring->data);
  for (const auto format : {ddm::ReportFormat::kText, ddm::ReportFormat::kCollapsed,
                            ddm::ReportFormat::kJsonl, ddm::ReportFormat::kHtml}) {
    ddm::report_as(format, ring->data, nowhere);
  }
  return 0;
}
