#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "core/jvm_text.h"
#include "report_sample.h"

using namespace ddm;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t widest(const std::vector<std::string>& lines) {
  std::size_t columns = 0;
  for (const std::string& line : lines) columns = std::max(columns, columns_of(line));
  return columns;
}

std::string on_terminal(const ReportData& data) {
  std::string whole;
  text_report(data, into(whole), 80);
  return whole;
}

// More sites, longer names and larger numbers than a summary has room for.
std::unique_ptr<ReportSample> long_sample() {
  auto sample = std::make_unique<ReportSample>();
  for (int i = 0; i < 60; ++i) {
    const std::string package = "com.example.a_rather_long_package_name.number" + std::to_string(i);
    const Frame frame =
        sample->frame(package + ".TheFactoryOfAllFactories" + std::string(120, 'y'),
                      "method" + std::string(200, 'x'), std::string(90, 'F') + ".java", 12345);
    sample->add(package + ".Thing" + std::string(100, 'z'), (1LL << 40) / 60, i, {frame});
  }
  ReportSummary& s = sample->data.summary;
  s.app = std::string(300, 'a') + ".jar";
  s.vm = std::string(300, 'v');
  s.seen = s.seen_bytes = s.dropped = INT64_MAX;
  s.unattributed_bytes = INT64_MIN / 4;
  s.pid = 4194304;
  s.tracked_ms = INT64_MAX;
  s.classes_skipped[std::string(100, 'r')] = INT64_MAX / 2;
  s.methods_skipped[std::string(100, 'r')] = INT64_MAX / 2;
  return sample;
}

}  // namespace

TEST_CASE("A text report of a program that was never tracked names no engine") {
  ReportData data;
  const NameTable names;
  data.names = &names;
  data.summary.walker = "vm";
  const std::string report = whole_report(ReportFormat::kText, data);
  CHECK(report.find("\ntracking          was never on\n") != std::string::npos);
  CHECK(report.find("engine") == std::string::npos);
}

TEST_CASE("The text report of a known record set") {
  const auto sample = small_sample();
  CHECK(whole_report(ReportFormat::kText, sample->data) ==
        R"(Allocations of app.jar, pid 4711
vm                OpenJDK 64-Bit Server VM 17.0.15+6
engine            bci, stack walker jvmti
which shows       what bytecode asks for, even objects that the JIT would remove
tracked for       12.3 s
written           2024-05-01 12:00:00 UTC, reason: exit

seen                    1,234,567 allocations        3,000,000 bytes     2.9 MiB
recorded                        4 allocations              200 bytes       200 B
dropped                         2 allocations
unattributed                                             1,000 bytes      1000 B
  virtual thread stacks           of which at most         400 bytes       400 B
rewritten classes             812

Threads with unattributed bytes: 1
    unattributed         allocated              seen  thread
           1,000             1,500               500  1 main

Dropped
               2  ring busy

Skipped classes
               3  not modifiable

Skipped methods
               1  too large

Entered before tracking and still running: what these methods allocate is not seen
  shop.Shop.serve

Top 3 of 3 sites by bytes, of what is recorded
           bytes   share        count  class and where
             128   64.0%            2  byte[]
    at a.b.Maker.make(Maker.java:42)
              56   28.0%            1  int[][]
    (no Java frame)
              16    8.0%            1  java.lang.Integer
    at java.lang.Object.clone(Native Method)
    from a.Main$$Lambda/0x12.get(Unknown Source)

Top 3 of 3 sites by count, of what is recorded
           bytes   share        count  class and where
             128   50.0%            2  byte[]
    at a.b.Maker.make(Maker.java:42)
              56   25.0%            1  int[][]
    (no Java frame)
              16   25.0%            1  java.lang.Integer
    at java.lang.Object.clone(Native Method)
    from a.Main$$Lambda/0x12.get(Unknown Source)

Records, newest first (UTC)

#4 1970-01-01 00:00:04.000  int[][], 56 bytes, thread 3
    (no Java frame)

#3 1970-01-01 00:00:03.000  java.lang.Integer, 16 bytes, thread 1 main
    at java.lang.Object.clone(Native Method)
    at a.Main$$Lambda/0x12.get(Unknown Source)
    at a.Main.run(Main.java:7)

#2 1970-01-01 00:00:02.000  byte[], 64 bytes, thread 2 worker
    at a.b.Maker.make(Maker.java:42)
    at a.Main.run(Main.java:7)
    ... deeper frames were not kept

#1 1970-01-01 00:00:01.000  byte[], 64 bytes, thread 1 main
    at a.b.Maker.make(Maker.java:42)
    at a.Main.run(Main.java:7)
)");
}

TEST_CASE("A text report keeps one line a line, whatever the names") {
  const auto sample = hostile_sample();
  const std::string text = whole_report(ReportFormat::kText, sample->data);
  CHECK(text.find("at a.\"Q\"\\.line\\u000abreak\\u0009\\u0001(F;\"x.java:3)\n") !=
        std::string::npos);
  CHECK(text.find("thread 1 t\"\\\\u000d\\u000a\\u007f</script>\\u0000\n") != std::string::npos);
  CHECK(text == utf8_of(text));
  CHECK(std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F;
  }));
}

TEST_CASE("A text report in a file has all names whole") {
  auto sample = long_sample();
  sample->data.summary.threads = {{7, std::string(90, 't'), 10, 0}};
  const std::string text = whole_report(ReportFormat::kText, sample->data);
  const std::string tables = text.substr(0, text.find("\nRecords,"));
  CHECK(tables.find("...") == std::string::npos);
  for (const std::string& name :
       {"  7 " + std::string(90, 't') + "\n",
        "  com.example.a_rather_long_package_name.number0.Thing" + std::string(100, 'z') + "\n",
        "    at com.example.a_rather_long_package_name.number0.TheFactoryOfAllFactories" +
            std::string(120, 'y') + ".method" + std::string(200, 'x') + "(" + std::string(90, 'F') +
            ".java:12345)\n",
        "  " + std::string(100, 'r') + "\n"}) {
    INFO(name);
    CHECK(tables.find(name) != std::string::npos);
  }
}

TEST_CASE("Tables on a terminal fit its columns but never cut a method's name") {
  auto sample = long_sample();
  const std::string whole_name = ".method" + std::string(200, 'x') + "(FFFF....java:12345)";
  const std::string text = on_terminal(sample->data);
  const std::string tables =
      text.substr(text.find("\nTop 20"), text.find("\nRecords,") - text.find("\nTop 20"));
  std::size_t sites = 0;
  for (const std::string& line : lines_of(tables)) {
    if (line.starts_with("    at ")) {
      CHECK(line.ends_with(whole_name));
      ++sites;
    } else {
      CHECK(columns_of(line) <= 80);
    }
  }
  CHECK(sites == 40);
}

TEST_CASE("Sites are ranked by bytes and by count") {
  ReportSample sample;
  const Frame many = sample.frame("a.A", "many", "A.java", 1);
  const Frame large = sample.frame("a.A", "large", "A.java", 2);
  for (int i = 0; i < 9; ++i) sample.add("a.Small", 16, 1, {many});
  sample.add("a.Large", 1000, 1, {large});
  const std::string text = whole_report(ReportFormat::kText, sample.data);
  const std::size_t by_count = text.find("sites by count");
  CHECK(text.find("at a.A.large") < text.find("at a.A.many"));
  CHECK(text.find("at a.A.many", by_count) < text.find("at a.A.large", by_count));
}

TEST_CASE("The summary of a known record set") {
  const auto sample = small_sample();
  CHECK(summary_report(sample->data) ==
        R"(Allocations of app.jar (pid 4711), tracked for 12.3 s
  engine=bci: what bytecode asks for, even objects that the JIT would remove
  seen               1,234,567 allocations          3,000,000 bytes     2.9 MiB
  recorded                   4 allocations                200 bytes       200 B
  dropped                    2 allocations
  unattributed            0.0%                          1,000 bytes      1000 B
    virtual thread stacks    of which at most             400 bytes       400 B
  skipped      classes: 3, methods: 1; their allocations are not seen
  running      shop.Shop.serve since before tracking: not seen
        bytes  share       count  most of the recorded bytes
        128 B  64.0%           2  byte[]
      from a.b.Maker.make(Maker.java:42)
         56 B  28.0%           1  int[][]
      (no Java frame)
         16 B   8.0%           1  java.lang.Integer
      from a.Main$$Lambda/0x12.get(Unknown Source)
)");
}

TEST_CASE("The summary never has more than 25 lines of 80 columns") {
  const auto sample = long_sample();
  const std::vector<std::string> lines = lines_of(summary_report(sample->data));
  CHECK(lines.size() <= 25);
  CHECK(lines.size() > 20);
  CHECK(widest(lines) <= 80);
  CHECK(lines_of(summary_report(sample->data, 9)).size() <= 9);
  const auto hostile = hostile_sample();
  CHECK(lines_of(summary_report(hostile->data)).size() == 8);
}

TEST_CASE("Without records every text says so") {
  ReportSample sample;
  sample.data.summary.app = "idle.jar";
  const std::string text = whole_report(ReportFormat::kText, sample.data);
  CHECK(text.find("recorded                        0 allocations") != std::string::npos);
  CHECK(text.find("unattributed      not known") != std::string::npos);
  CHECK(text.ends_with("\nNo allocation was recorded.\n"));
  CHECK(summary_report(sample.data) ==
        R"(Allocations of idle.jar (pid 0), tracked for 0 ms
  seen                       0 allocations                  0 bytes         0 B
  recorded                   0 allocations                  0 bytes         0 B
  Nothing is recorded.
)");
  CHECK(collapsed_report(sample.data).empty());
}

TEST_CASE("What nobody has a name for is called unknown") {
  ReportSample sample;
  AllocRecord record;
  record.class_id = 77;
  const Frame frame{99, 3};
  sample.data.records.append_newer(record, {&frame, 1});
  const std::string text = whole_report(ReportFormat::kText, sample.data);
  CHECK(text.ends_with("  unknown, 0 bytes, thread 0\n    at unknown(Unknown Source)\n"));
  CHECK(collapsed_report(sample.data) == "unknown;unknown_[new] 0\n");
}

TEST_CASE("Texts of samples show estimates and say so") {
  const auto sample = sampled_sample();
  const std::string text = whole_report(ReportFormat::kText, sample->data);
  INFO(text);
  CHECK(text.find(R"(
estimated         from samples: one sample every 1.0 KiB of a thread, on average
)") != std::string::npos);
  CHECK(text.find(R"(
seen                          130 allocations            4,624 bytes     4.5 KiB
recorded                      130 allocations            4,624 bytes     4.5 KiB
samples                         3 taken, 3 recorded
dropped                         0 samples
the VM's own count                                       5,000 bytes     4.9 KiB
)") != std::string::npos);
  CHECK(text.find("unattributed") == std::string::npos);
  CHECK(text.find(R"(of what is recorded, estimated
           bytes   share        count  class and where
           2,560   55.4%            1  byte[]
    at a.Main.run(Main.java:7)
           2,064   44.6%          129  java.lang.Integer
    at a.Main.run(Main.java:7)
)") != std::string::npos);
  CHECK(text.find("Integer, 16 bytes (stands for 64.5), thread 1") != std::string::npos);

  const std::string summary = summary_report(sample->data);
  INFO(summary);
  CHECK(summary.find("estimated from 3 samples, one every 1.0 KiB of a thread, on average") !=
        std::string::npos);
  CHECK(summary.find("2.5 KiB  55.4%           1  byte[]") != std::string::npos);
  CHECK(widest(lines_of(summary)) <= 80);
}

TEST_CASE("A text made of a server's answer claims nothing that the answer does not tell") {
  const auto sample = small_sample();
  sample->data.summary.engine = kEngineUnknown;
  const std::string text = whole_report(ReportFormat::kText, sample->data);
  CHECK(text.find("\nseen ") == std::string::npos);
  CHECK(text.find("\ndropped ") == std::string::npos);
  CHECK(text.find("all other totals  not known") != std::string::npos);
}
