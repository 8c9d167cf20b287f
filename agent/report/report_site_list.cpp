// The whole run for programs: the input of ddm's tables and comparisons.
#include <algorithm>

#include "report/report.h"
#include "report/report_json.h"
#include "report/report_names.h"
#include "report/report_pieces.h"
#include "report/report_sites.h"

namespace ddm {
namespace {

void append_frame(std::string& out, const FrameLine& frame, ReportNames& names) {
  if (!frame.known) {
    out += "null";
    return;
  }
  out += '{';
  append_frame_members(out, *names.method(frame.method).entry, frame.line);
  out += '}';
}

}  // namespace

void site_list(const ReportData& data, const ReportSink& sink) {
  summary_line(data, sink);
  ReportNames names(data.names);
  ReportPieces pieces(sink);
  std::string& out = pieces.text();
  const std::vector<AllocSite> sites = sites_of(data.sites, names, SiteFrame::kBoth);
  for (const AllocSite& site : top_sites(sites, SiteOrder::kBytes, sites.size())) {
    if (!pieces.wanted()) break;
    out += R"({"type":"site","class":)";
    append_json_string(out, names.table().class_name(site.class_id));
    out += R"(,"count":)";
    append_json_number(out, site.count);
    out += R"(,"bytes":)";
    append_json_number(out, site.bytes);
    out += R"(,"at":)";
    append_frame(out, site.at, names);
    out += R"(,"app":)";
    append_frame(out, site.app, names);
    out += "}\n";
  }
  pieces.finish();
}

}  // namespace ddm
