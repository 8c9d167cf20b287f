// REPT, a chunk of our own: the agent's report of what was recorded, as dump= writes it.
//
//   request  str format: "html", "txt", "jsonl", "sites.jsonl", "collapsed", "pb.gz",
//            "hprof.txt", "dhat.json", "firefox.json"; the same with "recent/" in front: about the recent records alone;
//            "summary" (jsonl's first line); "sites" (the whole run for programs, report.h's
//            site_list()); "live" (what is alive of each site, report.h's live_list()); "time"
//            (jsonl's first line and those of time)
//   reply    u8 length of the report, zlib stream of it (RFC 1950)
//
// Reports spell everything out and are mostly repetition: 230 MB are a reply of a few MB. What is
// more than kInMemory goes into a file without a name (StoredData); packing ends at a limit.
#pragma once

#include <functional>
#include <memory>

#include "core/result.h"
#include "wire/chunks/fields.h"

namespace ddm {

inline constexpr std::string_view kReportFeature = "allocation-report";  // in FEAT
inline constexpr std::string_view kSummaryFormat = "summary";
inline constexpr std::string_view kSitesFormat = "sites";
inline constexpr std::string_view kLiveFormat = "live";
inline constexpr std::string_view kRecentPrefix = "recent/";
inline constexpr std::string_view kTimeFormat = "time";

struct ReportRequest {
  static constexpr ChunkType kType = chunk_type("REPT");
  std::string format;
  static constexpr auto kFields = std::tuple(&ReportRequest::format);
  Bytes encode() const { return encode_fields(*this); }
  static auto decode(ByteSpan data) { return decode_fields<ReportRequest>(data); }
  friend bool operator==(const ReportRequest&, const ReportRequest&) = default;
};

// REPE, a chunk of our own: the report to write where the VM runs if the program ends before this
// connection does. The reply is empty.
//
//   request  str path: of a file that is not there, with a report's ending; "": none any more
struct ReportAtEndRequest {
  static constexpr ChunkType kType = chunk_type("REPE");
  std::string path;
  static constexpr auto kFields = std::tuple(&ReportAtEndRequest::path);
  Bytes encode() const { return encode_fields(*this); }
  static auto decode(ByteSpan data) { return decode_fields<ReportAtEndRequest>(data); }
  friend bool operator==(const ReportAtEndRequest&, const ReportAtEndRequest&) = default;
};

// Makes the reply's data out of the pieces of a report.
class ReportPacker {
 public:
  static constexpr std::size_t kInMemory = StoredData::kFrom;

  explicit ReportPacker(std::size_t max_bytes);
  ~ReportPacker();
  ReportPacker(const ReportPacker&) = delete;
  ReportPacker& operator=(const ReportPacker&) = delete;

  // False: there is no use in going on, finish() will say why.
  bool add(std::string_view piece);

  // The whole reply.
  Result<Chunk> finish();

 private:
  struct Stream;

  bool deflate_input(int flush);
  bool store();

  const std::size_t max_bytes_;
  std::unique_ptr<Stream> stream_;      // null: zlib has no memory
  Bytes packed_;                        // the length, and behind what is stored the rest
  std::shared_ptr<StoredData> stored_;  // null: all of it is in memory
  std::optional<Error> failed_;
  std::uint64_t length_ = 0;
  bool too_big_ = false;
};

// The other way round, piece by piece. An error when the data is damaged; `sink` stops it by false.
std::optional<Error> unpack_report(ByteSpan data,
                                   const std::function<bool(std::string_view)>& sink);

}  // namespace ddm
