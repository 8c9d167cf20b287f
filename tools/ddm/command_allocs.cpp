// ddm allocs: the recorded allocations of a program, as a table or as a report.
#include <algorithm>
#include <ctime>
#include <functional>

#include "command.h"
#include "ddm/report_chunk.h"
#include "ddm_client.h"
#include "output.h"
#include "records/report_names.h"
#include "records/report_sites.h"
#include "records/report_words.h"
#include "target.h"
#include "threads.h"
#include "wire_report.h"

namespace ddm {
namespace {

struct AllocsOptions {
  std::string target;
  std::string by = "class";
  std::string path;
  std::size_t top = 25;
  bool json = false;
};

struct Row {
  std::string what;  // class or thread
  std::string site;  // with --by site
  std::int64_t bytes = 0;
  std::int64_t count = 0;
};

std::string site_text(const AllocSite& site, ReportNames& names, std::size_t width) {
  if (!site.has_frame) return "(no Java frame)";
  return shortened_frame(names.method(site.method), names.place(site.method, site.line), width);
}

// Sites in so many columns.
std::vector<Row> rows_of(const ReportData& data, const std::string& by, std::size_t width) {
  ReportNames names(data.names);
  std::vector<Row> rows;
  if (by == "thread") {
    for (const ThreadTotal& thread : threads_of(data)) {
      rows.push_back(
          {fmt::format("{} {}", thread.thread_id, thread.name), {}, thread.bytes, thread.count});
    }
  } else if (by == "site") {
    for (const AllocSite& site : sites_of(data.records, names)) {
      rows.push_back(
          {names.class_name(site.class_id), site_text(site, names, width), site.bytes, site.count});
    }
  } else {
    std::map<NameId, WeightedSum> classes;
    for (std::size_t i = 0; i < data.records.size(); ++i) {
      const AllocRecord& record = data.records[i].record;
      classes[record.class_id].add(record);
    }
    for (const auto& [id, sum] : classes) {
      rows.push_back({names.class_name(id), {}, sum.bytes(), sum.count()});
    }
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(b.bytes, b.count, a.what, a.site) < std::tie(a.bytes, a.count, b.what, b.site);
  });
  return rows;
}

void print_rows(const ReportData& data, const AllocsOptions& options) {
  constexpr std::string_view kAt = "    at ";
  const std::size_t width = options.json ? kNoWidth : output_width() - kAt.size();
  const std::vector<Row> rows = rows_of(data, options.by, width);
  if (options.json) {
    Json list = Json::array();
    for (const Row& row : rows) {
      Json object = {{options.by == "thread" ? "thread" : "class", json_text(row.what)}};
      if (options.by == "site") object["site"] = json_text(row.site);
      object["bytes"] = row.bytes;
      object["count"] = row.count;
      list.push_back(std::move(object));
    }
    print_json(list);
    return;
  }
  const std::map<std::string_view, std::string> titles{
      {"class", ".CLASS"}, {"site", ".CLASS, ALLOCATED AT"}, {"thread", "~THREAD"}};
  TextTable table({">BYTES", ">COUNT", titles.at(options.by)});
  for (std::size_t i = 0; i < std::min(rows.size(), options.top); ++i) {
    table.add({grouped(rows[i].bytes), grouped(rows[i].count), rows[i].what});
    if (options.by == "site") table.add_line(std::string(kAt) + rows[i].site);
  }
  print(table.text());
  if (rows.size() > options.top) {
    print(fmt::format("... {} more (--top N shows more)\n", rows.size() - options.top));
  }
  const WeightedSum sum = recorded(data.records);
  print(
      fmt::format("{} allocations, {} recorded\n", grouped(sum.count()), human_bytes(sum.bytes())));
  if (data.summary.sampled()) {
    print(fmt::format("estimated from {} samples: {}\n",
                      grouped(static_cast<std::int64_t>(data.records.size())),
                      sampling_words(data.summary)));
  }
}

std::map<std::int64_t, std::string> thread_names(DdmClient& client) {
  std::map<std::int64_t, std::string> names;
  // A target that does not list its threads has numbers only.
  if (const auto rows = list_threads(client)) {
    for (const ThreadRow& row : *rows) names[row.status.id] = row.name;
  }
  return names;
}

bool offers_reports(DdmClient& client) {
  const auto features = client.get<Features>({Features::kType, {}});
  return features && std::ranges::count(features->names, kReportFeature) > 0;
}

// The target's own report, written as it comes out of its wrapping. The error: nothing was written.
std::optional<Error> fetch_report(DdmClient& client, std::string_view format,
                                  const std::function<std::string(const Bytes&)>& use) {
  const auto answer =
      client.request(to_chunk(ReportRequest{std::string(format)}), DdmClient::kMuchData);
  if (!answer) return answer.error();
  if (answer->type != ReportRequest::kType) return DdmClient::unexpected(*answer);
  const std::string problem = use(answer->data);
  if (!problem.empty()) return Error{problem};
  return {};
}

std::optional<Error> save_report(DdmClient& client, const std::string& path) {
  const std::string_view format = report_ending_of(path).substr(1);  // it has one, see run()
  return fetch_report(client, format, [&path](const Bytes& packed) {
    std::optional<Error> damaged;
    const std::string problem = write_report_file(path, [&](const ReportSink& sink) {
      damaged = unpack_report(packed, sink);
      return !damaged;
    });
    return damaged ? damaged->message : problem;
  });
}

// What the answer to REAL does not tell: whether its records are samples, and how far apart.
std::int64_t sampling_interval(DdmClient& client) {
  std::string line;
  const auto error = fetch_report(client, kSummaryFormat, [&line](const Bytes& packed) {
    const auto damaged = unpack_report(packed, [&line](std::string_view piece) {
      line += piece;
      return true;
    });
    return damaged ? damaged->message : "";
  });
  if (error) return 0;
  const Json summary = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  return summary.is_object() ? summary.value("interval", std::int64_t{0}) : 0;
}

int allocs(const AllocsOptions& options) {
  const auto format = report_format_of(options.path);
  if (!options.path.empty() && !format) {
    return misused(fmt::format("'{}': a report ends in {}", options.path, kReportEndings));
  }
  const auto address = find_target(options.target);
  if (!address) return refuse(address.message());
  auto client = DdmClient::connect(*address);
  if (!client) return refuse(client.message());
  const auto hello = client->get<HelloReply>(to_chunk(HelloRequest{}));
  if (!hello) return refuse(hello.message());
  const bool own_reports = offers_reports(*client);
  Progress progress("allocations");
  client->on_progress([&progress](std::size_t bytes) { progress.show(bytes); });
  if (format && own_reports) {
    if (const auto error = save_report(*client, options.path)) return refuse(error->message);
    print(fmt::format("report written to {}\n", options.path));
    return kExitOk;
  }
  const std::int64_t interval = own_reports ? sampling_interval(*client) : 0;
  auto names = thread_names(*client);
  const auto answer = client->request({kAllocations, {}}, DdmClient::kMuchData);
  if (!answer) return refuse(answer.message());
  std::optional<Allocations> allocations;
  if (answer->type == kAllocations) allocations = Allocations::decode(answer->data);
  if (!allocations) return refuse(DdmClient::unexpected(*answer).message);

  const WireReport report =
      wire_report(*allocations, *hello, interval, std::move(names), std::time(nullptr) * 1000);
  if (!format) {
    print_rows(report.data, options);
    return kExitOk;
  }
  const std::string problem = write_report_file(options.path, *format, report.data);
  if (!problem.empty()) return refuse(problem);
  print(fmt::format("{} allocations written to {}\n", report.data.records.size(), options.path));
  return kExitOk;
}

}  // namespace

void add_allocs(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("allocs", "Show the recorded allocations");
  auto options = std::make_shared<AllocsOptions>();
  command->add_option("PID", options->target, kTargetHelp)->required();
  command->add_option("--by", options->by, "Rows: class, site or thread")
      ->check(CLI::IsMember({"class", "site", "thread"}))
      ->type_name("WHAT")
      ->capture_default_str();
  command->add_option("--top", options->top, "How many rows to show")
      ->capture_default_str()
      ->type_name("N");
  CLI::Option* file = command->add_option(
      "-o", options->path, fmt::format("Write all of them to a file: {}", kReportEndings));
  file->type_name("FILE");
  command
      ->add_flag("--json", options->json, "The whole table: {class, site or thread, bytes, count}")
      ->excludes(file);
  command->callback([options, &chosen] { chosen = [options] { return allocs(*options); }; });
}

}  // namespace ddm
