// The dhat.json report: version 2 of the format that valgrind's dh_view.html shows, with lifetimes.
//
//   pps   an object per program point: tb, tbk allocated (bytes, objects); tl sum of lifetimes;
//         mb, mbk maximum after a collection; gb, gbk at the total's maximum; eb, ebk at the end;
//         fs its frames in ftbl, innermost first
//   tg    time of the total's maximum, te the end, tuth limit of short lifetimes: in ms
//
// The innermost frame is the class, so each class allocated at a line is a program point. The
// viewer rejects two points with the same frames: points with equal text are merged.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "report/report.h"
#include "report/report_json.h"
#include "report/report_names.h"
#include "report/report_pieces.h"

namespace ddm {
namespace {

class FrameTexts {
 public:
  explicit FrameTexts(ReportNames& names) : names_(names) { texts_.of("[root]"); }

  std::uint32_t of_class(NameId id) {
    const auto [at, fresh] = classes_.try_emplace(id, 0);
    if (fresh) at->second = texts_.of("new " + names_.class_name(id));
    return at->second;
  }
  std::uint32_t of(const Frame& frame) {
    const std::uint64_t key =
        std::uint64_t{frame.method} << 32 | static_cast<std::uint32_t>(names_.line(frame));
    const auto [at, fresh] = frames_.try_emplace(key, 0);
    if (fresh) at->second = texts_.of(names_.text(frame));
    return at->second;
  }
  std::uint32_t of_cut() { return texts_.of(std::string(kDeeperFramesCut)); }
  const std::vector<std::string>& list() const { return texts_.list(); }

 private:
  ReportNames& names_;
  TextNumbers texts_;
  std::unordered_map<NameId, std::uint32_t> classes_;
  std::unordered_map<std::uint64_t, std::uint32_t> frames_;  // by method and line
};

void append_point(std::string& out, const SiteLife& life,
                  const std::vector<std::uint32_t>& frames) {
  out += '{';
  append_json_member(out, "tb", life.seen_bytes);
  append_json_member(out, "tbk", life.seen_count);
  append_json_member(out, "tl", life.lived_ms);
  append_json_member(out, "mb", std::max(life.peak_bytes, life.live_bytes));
  append_json_member(out, "mbk", std::max(life.peak_count, life.live_count));
  append_json_member(out, "gb", life.top_bytes);
  append_json_member(out, "gbk", life.top_count);
  append_json_member(out, "eb", life.live_bytes);
  append_json_member(out, "ebk", life.live_count);
  begin_json_member(out, "fs");
  append_json_array(out, frames, [&](std::uint32_t frame) { append_json_number(out, frame); });
  out += '}';
}

// An object found dead at its first collection lived at most for the interval between two
// collections.
std::int64_t short_lived_ms(const LiveSummary& live) {
  return std::max<std::int64_t>(1,
                                live.followed_ms / static_cast<std::int64_t>(live.collections + 1));
}

}  // namespace

void dhat_report(const ReportData& data, const ReportSink& sink) {
  if (!data.summary.live) return;
  const LiveSummary& live = *data.summary.live;
  ReportNames names(data.names);
  FrameTexts texts(names);
  std::map<std::vector<std::uint32_t>, SiteLife> points;
  const SiteSet sites = data.sites.folded(kSpeltOutFrames);
  SiteSet::FrameBuffer buffer;
  for (const Site& site : sites.list()) {
    if (site.life.seen_count == 0) continue;  // from before objects were followed
    std::vector<std::uint32_t> frames{texts.of_class(site.class_id)};
    for (const Frame& frame : sites.frames(site, buffer)) frames.push_back(texts.of(frame));
    if (sites.cut(site)) frames.push_back(texts.of_cut());
    points[std::move(frames)] += site.life;
  }
  if (points.empty()) points[{0}];  // the viewer requires a point

  ReportPieces pieces(sink);
  std::string& out = pieces.text();
  out += R"({"dhatFileVersion":2,"mode":"java-heap","verb":"Allocated","bklt":true,"bkacc":false,)";
  out += R"("bu":"byte","bsu":"bytes","bksu":"objects","tu":"ms","Mtu":"ks")";
  append_json_member(out, "tuth", short_lived_ms(live));
  append_json_member(out, "cmd",
                     data.summary.app + (data.summary.live_is_estimated() ? " (estimated)" : ""));
  append_json_member(out, "pid", data.summary.pid);
  append_json_member(out, "gc", live.gc);
  append_json_member(out, "tg", std::min(live.top_ms, live.followed_ms));
  append_json_member(out, "te", std::max<std::int64_t>(1, live.followed_ms));
  out += ",\"pps\":[";
  bool first = true;
  for (const auto& [frames, life] : points) {
    if (!pieces.wanted()) return;
    out += first ? "\n" : ",\n";
    first = false;
    append_point(out, life, frames);
  }
  out += "],\n\"ftbl\":[";
  for (const std::string& text : texts.list()) {
    if (&text != texts.list().data()) out += ",\n";
    append_json_string(out, text);
  }
  out += "]}\n";
  pieces.finish();
}

}  // namespace ddm
