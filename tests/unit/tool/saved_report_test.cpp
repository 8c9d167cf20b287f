// A .jsonl report, read back, says the same in every format.
#include "saved_report.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>

#include "../report/report_sample.h"
#include "allocations/store/sites.h"

using namespace ddm;  // NOLINT: a test of one part

namespace {

class SavedFile {
 public:
  explicit SavedFile(const std::string& text, const std::string& ending = ".jsonl")
      : path_(std::filesystem::temp_directory_path() /
              ("saved-" + std::to_string(getpid()) + "-" + std::to_string(++files_) + ending)) {
    REQUIRE(!write_report_file(path_, text));
  }
  ~SavedFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  static inline int files_ = 0;
  const std::string path_;
};

constexpr std::uint32_t kDepth = 3;

std::unique_ptr<ReportSample> whole_sample() {
  auto sample = small_sample();
  ReportData& data = sample->data;
  const Frame run = sample->frame("a.Main", "run", "Main.java", 7);
  const Frame pay = sample->frame("shop.Cart", "pay", "Cart.java", 12);
  const Frame native = sample->frame("java.lang.Object", "clone", "Object.java", kLineNative);
  const std::shared_ptr<Sites> sites = Sites::create(1000, kDepth);
  const NameId bytes = sample->names.add_class("byte[]");
  const std::vector<Frame> deep{pay, pay, run, run};
  SiteReadings sums;
  sums.sums = {{bytes, sites->traces().number_of(std::vector{native, run}), 3, 300},
               {bytes, sites->traces().number_of(deep), 2, 48},
               {bytes, kEmptyTrace, 1, 16}};
  data.summary.seen = 6;
  data.summary.seen_bytes = 364;
  data.sites = SiteSet(sites, std::move(sums), {}, 6, 364);
  TimeData& time = data.time;
  time.methods = {{"shop.Cart", "pay", "()V", 9, 1, 500, 400, 7}};
  time.samples = {{70, "till", {pay, run}, true}};
  time.sampler.emplace();
  time.sampler->wall = true;
  time.sampler->failed = {{"no memory", 3}};
  time.monitor_on = true;
  const NameId stock = sample->names.add_class("shop.Stock");
  time.monitors = {{MonitorKind::kPark, stock, 4, 5000, {pay}, false, {{"a", 3, 4, {run}, true}}}};
  time.waiting = {{MonitorKind::kWait, stock, 31, "till-1", 6000, "till-2", {pay}, false}};
  return sample;
}

}  // namespace

TEST_CASE("A report that was saved as jsonl is the same in every format when it is read back") {
  const auto sample = whole_sample();
  const std::string lines = whole_report(ReportFormat::kJsonl, sample->data);
  const SavedFile file(lines);
  const auto read = read_saved_report(file.path());
  REQUIRE(read);
  CHECK(read->sites.size() == 3);
  CHECK(whole_report(ReportFormat::kJsonl, *read) == lines);
  for (const ReportFormat format : {ReportFormat::kText, ReportFormat::kCollapsed}) {
    CHECK(whole_report(format, *read) == whole_report(format, sample->data));
  }
}

TEST_CASE("A saved report of the recent records, or below a method, has the sums of these") {
  const auto sample = whole_sample();
  const SavedFile file(whole_report(ReportFormat::kJsonl, sample->data));
  const SavedFile to("");
  const std::string path = to.path() + ".collapsed";
  REQUIRE(!write_saved(*read_saved_report(file.path()), path, /*recent=*/true, ""));
  CHECK(std::filesystem::file_size(path) ==
        whole_report(ReportFormat::kCollapsed, small_sample()->data).size());
  REQUIRE(!write_saved(*read_saved_report(file.path()), path, false, "Cart.pay"));
  const auto wrong = write_saved(*read_saved_report(file.path()), path, false, "Cart.serve");
  REQUIRE(wrong);
  CHECK(wrong->message == "nothing in it is below Cart.serve");
  std::filesystem::remove(path);
  const auto lacks = write_saved(*read_saved_report(file.path()), "x.dhat.json", false, "");
  REQUIRE(lacks);
  CHECK(lacks->message == "'x.dhat.json' needs live=y");
}

TEST_CASE("A saved list of sites is read as well, and has no recent records") {
  const auto sample = whole_sample();
  const SavedFile file(whole_report(ReportFormat::kSitesJsonl, sample->data), ".sites.jsonl");
  const auto read = read_saved_report(file.path());
  REQUIRE(read);
  CHECK(whole_report(ReportFormat::kCollapsed, *read) ==
        whole_report(ReportFormat::kCollapsed, sample->data));
  const auto none = write_saved(*read, "x.txt", /*recent=*/true, "");
  REQUIRE(none);
  CHECK(none->message == "it has no single records");
}

TEST_CASE("A saved report that was cut is refused, wherever it was cut") {
  const auto sample = whole_sample();
  const std::string whole = whole_report(ReportFormat::kJsonl, sample->data);
  for (std::size_t end = 0; end + 1 < whole.size(); end += 97) {
    const SavedFile file(whole.substr(0, end));
    CHECK_FALSE(read_saved_report(file.path()));
  }
  const SavedFile twice(whole + whole);
  CHECK_FALSE(read_saved_report(twice.path()));
}
