// REPT, a DDM extension: the agent's report of the recorded data, as dump= writes it.
//
//   request  str format: "html", "txt", "jsonl", "collapsed", "pb.gz", "hprof.txt"; the same with
//            the prefix "recent/": of the recent records alone; "sites.jsonl", "dhat.json",
//            "firefox.json"; "summary" (jsonl's first line); "sites" (the whole run for
//            programs, report.h's site_list()); "live" (the live objects of each site, report.h's
//            live_list()); "time" (jsonl's first line and those of time); "recent/threads" (the recent
//            records of each thread, report.h's recent_threads())
//            optional: str method, to which, with its callees, the report is restricted
//   reply    u8 length of the report, zlib stream of it (RFC 1950)
//
// Reports are verbose and compress well: 230 MB become a reply of a few MB. Beyond kInMemory the
// reply is stored in an unlinked file (StoredData); packing stops at a limit.
#pragma once

#include <functional>

#include "core/deflate_sink.h"
#include "core/result.h"
#include "wire/chunks/special_fields.h"

namespace ddm {

inline constexpr std::string_view kReportFeature = "allocation-report";  // in FEAT
inline constexpr std::string_view kSummaryFormat = "summary";
inline constexpr std::string_view kSitesFormat = "sites";
inline constexpr std::string_view kLiveFormat = "live";
inline constexpr std::string_view kRecentPrefix = "recent/";
inline constexpr std::string_view kRecentThreadsFormat = "recent/threads";
inline constexpr std::string_view kTimeFormat = "time";

struct ReportRequest {
  static constexpr ChunkType kType = chunk_type("REPT");
  std::string format;
  std::string below{};
  static constexpr auto kFields =
      std::tuple(&ReportRequest::format, LeftOutIfEmpty(&ReportRequest::below));
};

// REPE, a DDM extension: a report to be written on the VM's side if the program ends before this
// connection does. The reply is empty.
//
//   request  str path: of a new file, with a report's ending; "": cancels it; optional: str method, as
//            in REPT
struct ReportAtEndRequest {
  static constexpr ChunkType kType = chunk_type("REPE");
  std::string path;
  std::string below{};
  static constexpr auto kFields =
      std::tuple(&ReportAtEndRequest::path, LeftOutIfEmpty(&ReportAtEndRequest::below));
};

// Compresses the pieces of a report into the reply's data.
class ReportPacker {
 public:
  static constexpr std::size_t kInMemory = StoredData::kFrom;

  explicit ReportPacker(std::size_t max_bytes);
  ReportPacker(const ReportPacker&) = delete;
  ReportPacker& operator=(const ReportPacker&) = delete;

  // False: further pieces are pointless; finish() returns the error.
  bool add(std::string_view piece);

  // The complete reply.
  Result<Chunk> finish();

 private:
  bool take(std::string_view packed);

  const std::size_t max_bytes_;
  DeflateSink zlib_;
  GrowingData packed_;  // the stream
  std::optional<Error> failed_;
  std::uint64_t length_ = 0;
  bool too_big_ = false;
};

// The inverse, piece by piece. An error if the data is damaged, or, before the first piece, if the
// report is longer than `most`: a small reply can hold a thousand times its size. `sink` returns
// false to stop.
std::optional<Error> unpack_report(ByteSpan data, std::uint64_t most,
                                   const std::function<bool(std::string_view)>& sink);

}  // namespace ddm
