// ddm allocs: the recorded allocations of a program, as a table or as a report.
#include <algorithm>
#include <ctime>
#include <functional>

#include "command.h"
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

std::string site_text(const AllocSite& site, ReportNames& names) {
  if (!site.has_frame) return "(no Java frame)";
  return names.method(site.method).qualified + "(" + names.place(site.method, site.line) + ")";
}

std::vector<Row> rows_of(const ReportData& data, const std::string& by) {
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
          {names.class_name(site.class_id), site_text(site, names), site.bytes, site.count});
    }
  } else {
    std::map<NameId, Row> classes;
    for (std::size_t i = 0; i < data.records.size(); ++i) {
      const AllocRecord& record = data.records[i].record;
      Row& row = classes[record.class_id];
      row.bytes += record.size;
      row.count += 1;
    }
    for (auto& [id, row] : classes) {
      row.what = names.class_name(id);
      rows.push_back(std::move(row));
    }
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(b.bytes, b.count, a.what, a.site) < std::tie(a.bytes, a.count, b.what, b.site);
  });
  return rows;
}

void print_rows(const ReportData& data, const AllocsOptions& options) {
  const std::vector<Row> rows = rows_of(data, options.by);
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
  std::vector<std::string> titles{">BYTES", ">COUNT", options.by == "thread" ? "THREAD" : "CLASS"};
  if (options.by == "site") titles.push_back("ALLOCATED AT");
  TextTable table(std::move(titles));
  for (std::size_t i = 0; i < std::min(rows.size(), options.top); ++i) {
    table.add({grouped(rows[i].bytes), grouped(rows[i].count), rows[i].what, rows[i].site});
  }
  print(table.text());
  if (rows.size() > options.top) print(fmt::format("... {} more\n", rows.size() - options.top));
  print(fmt::format("{} allocations, {} recorded\n",
                    grouped(static_cast<std::int64_t>(data.records.size())),
                    human_bytes(recorded_bytes(data.records))));
}

std::map<std::int64_t, std::string> thread_names(DdmClient& client) {
  std::map<std::int64_t, std::string> names;
  // A target that does not list its threads has numbers only.
  if (const auto rows = list_threads(client)) {
    for (const ThreadRow& row : *rows) names[row.status.id] = row.name;
  }
  return names;
}

int allocs(const AllocsOptions& options) {
  const auto format = report_format_of(options.path);
  if (!options.path.empty() && !format) {
    return misused("'" + options.path + "': a report ends in .txt, .collapsed, .jsonl or .html");
  }
  const auto address = find_target(options.target);
  if (!address) return refuse(address.message());
  auto client = DdmClient::connect(*address);
  if (!client) return refuse(client.message());
  const auto hello = client->get<HelloReply>(to_chunk(HelloRequest{}));
  if (!hello) return refuse(hello.message());
  auto names = thread_names(*client);

  Progress progress("allocations");
  client->on_progress([&progress](std::size_t bytes) { progress.show(bytes); });
  const auto answer = client->request({kAllocations, {}});
  if (!answer) return refuse(answer.message());
  std::optional<Allocations> allocations;
  if (answer->type == kAllocations) allocations = Allocations::decode(answer->data);
  if (!allocations) return refuse(DdmClient::unexpected(*answer).message);

  const WireReport report =
      wire_report(*allocations, *hello, std::move(names), std::time(nullptr) * 1000);
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
  command->add_option("--by", options->by, "class, site or thread")
      ->check(CLI::IsMember({"class", "site", "thread"}))
      ->capture_default_str();
  command->add_option("--top", options->top, "How many lines of the table")->capture_default_str();
  command->add_option("-o", options->path,
                      "Write all of them to a file: .txt, .collapsed, .jsonl or .html");
  command->add_flag("--json", options->json,
                    "The whole table: {class, site or thread, bytes, count}");
  command->callback([options, &chosen] { chosen = [options] { return allocs(*options); }; });
}

}  // namespace ddm
