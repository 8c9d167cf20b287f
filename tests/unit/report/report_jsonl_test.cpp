#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report_sample.h"

using namespace ddm;
using nlohmann::ordered_json;

namespace {

std::vector<ordered_json> parsed_lines(const std::string& report) {
  std::vector<ordered_json> lines;
  std::istringstream in(report);
  // parse() throws on anything that is not JSON in valid UTF-8.
  for (std::string line; std::getline(in, line);) lines.push_back(ordered_json::parse(line));
  return lines;
}

std::vector<std::string> keys_of(const ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

}  // namespace

TEST_CASE("The jsonl report begins with the summary") {
  const auto sample = small_sample();
  const std::vector<ordered_json> lines =
      parsed_lines(whole_report(ReportFormat::kJsonl, sample->data));
  REQUIRE(lines.size() == 5);
  const ordered_json expected = ordered_json::parse(R"({
    "type": "summary", "pid": 4711, "app": "app.jar", "engine": "bci", "walker": "jvmti",
    "interval": 0, "seen": 1234567, "seen_bytes": 3000000, "recorded": 4, "dropped": 2,
    "unattributed_bytes": 1000, "virtual_thread_stack_bytes": 400, "classes_rewritten": 812,
    "classes_skipped": {"not modifiable": 3}, "methods_skipped": {"too large": 1},
    "methods_running": ["shop.Shop.serve"],
    "vm": "OpenJDK 64-Bit Server VM 17.0.15+6", "tracked_ms": 12345,
    "process_start": 0, "period": 0, "written_ms": 1714564800123,
    "reason": "exit",
    "shows": "what bytecode asks for, even objects that the JIT would remove",
    "allocated_bytes": 2200, "dropped_reasons": {"ring busy": 2},
    "walker_gave_up": {"virtual thread": 5}, "walker_compared": 128, "walker_differed": {},
    "threads": [
      {"id": 1, "name": "main", "allocated_bytes": 1500, "seen_bytes": 500, "seen": 0,
       "unattributed_bytes": 1000},
      {"id": 2, "name": "worker", "allocated_bytes": 700, "seen_bytes": 700, "seen": 0,
       "unattributed_bytes": 0}], "site_lines": 0})");
  CHECK(lines[0] == expected);
  CHECK(keys_of(lines[0]) == keys_of(expected));
}

TEST_CASE("Reports say how many records were overwritten while they were made") {
  const auto sample = small_sample();
  const auto text = [&] { return whole_report(ReportFormat::kText, sample->data); };
  CHECK(text().find("overtaken") == std::string::npos);
  sample->data.records.set_overtaken(4711);
  CHECK(parsed_lines(whole_report(ReportFormat::kJsonl, sample->data))[0]["overtaken"] == 4711);
  CHECK(text().find("4,711 recent records, overwritten") != std::string::npos);
}

TEST_CASE("Records of the jsonl report come newest first with every field") {
  const auto sample = small_sample();
  const std::vector<ordered_json> lines =
      parsed_lines(whole_report(ReportFormat::kJsonl, sample->data));
  REQUIRE(lines.size() == 5);
  const ordered_json newest = ordered_json::parse(R"({
    "type": "record", "seq": 4, "ms": 4000, "class": "int[][]", "size": 56,
    "thread": {"id": 3, "name": ""}, "stack": []})");
  CHECK(lines[1] == newest);
  const ordered_json third = ordered_json::parse(R"({
    "type": "record", "seq": 3, "ms": 3000, "class": "java.lang.Integer", "size": 16,
    "thread": {"id": 1, "name": "main"}, "stack": [
      {"class": "java.lang.Object", "method": "clone", "signature": "()V", "file": "Object.java",
       "line": -2, "bci": -1},
      {"class": "a.Main$$Lambda/0x12", "method": "get", "signature": "()V", "file": "",
       "line": -1, "bci": 5},
      {"class": "a.Main", "method": "run", "signature": "()V", "file": "Main.java",
       "line": 7, "bci": 5}]})");
  CHECK(lines[2] == third);
  CHECK(keys_of(lines[2]) == keys_of(third));
  CHECK(keys_of(lines[2]["stack"][0]) == keys_of(third["stack"][0]));
  CHECK(lines[3]["truncated"] == true);
  CHECK(lines[4]["seq"] == 1);
  CHECK_FALSE(lines[4].contains("truncated"));
}

TEST_CASE("Hostile names arrive in JSON as the characters they stand for") {
  const auto sample = hostile_sample();
  const std::vector<ordered_json> lines =
      parsed_lines(whole_report(ReportFormat::kJsonl, sample->data));
  REQUIRE(lines.size() == 2);
  const std::string bad = "\xEF\xBF\xBD";
  const std::string smile = "\xF0\x9F\x98\x80";
  CHECK(lines[0]["app"] == "evil</script>" + smile + bad + ".jar");
  CHECK(lines[0]["classes_skipped"]["why\n\""] == 1);
  CHECK(lines[0]["threads"][0]["name"] == bad);
  CHECK(lines[1]["class"] == "d; " + smile + "[]");
  CHECK(lines[1]["thread"]["name"] == std::string("t\"\\\r\n\x7F</script>\0", 16));
  CHECK(lines[1]["stack"][0]["class"] == "a.\"Q\"\\");
  CHECK(lines[1]["stack"][0]["method"] == "line\nbreak\t\x01");
  CHECK(lines[1]["stack"][1]["method"] == "</SCRIPT >");
  CHECK(lines[1]["stack"][2]["class"] == "c." + bad + std::string(1, '\0') + bad);
  CHECK(lines[1]["stack"][2]["file"] == bad + bad);
}

TEST_CASE("An unknown counter is null, unknown ids are unknown") {
  ReportSample sample;
  AllocRecord record;
  record.class_id = 77;
  const Frame frame{99, 3};
  sample.data.records.append_newer(record, {&frame, 1});
  const std::vector<ordered_json> lines =
      parsed_lines(whole_report(ReportFormat::kJsonl, sample.data));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["unattributed_bytes"].is_null());
  CHECK(lines[1]["class"] == "unknown");
  CHECK(lines[1]["stack"][0]["method"] == "unknown");
  CHECK(lines[1]["stack"][0]["line"] == -1);

  sample.data.names = nullptr;
  CHECK(parsed_lines(whole_report(ReportFormat::kJsonl, sample.data))[1]["class"] == "unknown");
}

TEST_CASE("A full ring of deep stacks is written in every format", "[large]") {
  ReportSample sample;
  std::vector<Frame> stack;
  for (int i = 0; i < 16; ++i) {
    stack.push_back(
        sample.frame("com.example.deep.Class" + std::to_string(i), "method", "Class.java", i + 1));
  }
  for (std::uint32_t i = 0; i < kDefaultRecords; ++i) sample.add("byte[]", 24, 1, stack);
  for (const ReportFormat format :
       {ReportFormat::kJsonl, ReportFormat::kText, ReportFormat::kCollapsed, ReportFormat::kHtml}) {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t bytes = whole_report(format, sample.data).size();
    const auto took = std::chrono::steady_clock::now() - begin;
    WARN("format " << static_cast<int>(format) << ": " << bytes << " bytes in "
                   << std::chrono::duration_cast<std::chrono::milliseconds>(took).count() << " ms");
    CHECK(bytes > 100);
  }
}

TEST_CASE("Samples of the jsonl report say how many allocations each stands for") {
  const auto sample = sampled_sample();
  const std::vector<ordered_json> lines =
      parsed_lines(whole_report(ReportFormat::kJsonl, sample->data));
  REQUIRE(lines.size() == 4);
  CHECK(lines[0]["interval"] == 1024);
  CHECK(lines[0]["samples"] == 3);
  CHECK(lines[0]["recorded"] == 3);
  CHECK(lines[0]["unattributed_bytes"].is_null());
  CHECK(lines[0]["allocated_bytes"] == 5000);
  CHECK(lines[0]["threads"][0].at("unattributed_bytes").is_null());
  CHECK(lines[1]["size"] == 2048);
  CHECK(lines[1]["weight"] == 1.25);
  CHECK(lines[3]["size"] == 16);
  CHECK(lines[3]["weight"] == 64.5);
}

TEST_CASE("Figures of time stand between the sites and the records") {
  const auto sample = small_sample();
  TimeData& time = sample->data.time;
  const Frame pay = sample->frame("shop.Cart", "pay", "Cart.java", 12);
  time.methods = {{"shop.Cart", "total", "(I)J", 1000, 3, 50'000'000'000, 40'000'000'000, 7}};
  time.samples = {{70, "worker \"1\"", {pay}, true}};
  time.monitors = {
      {MonitorKind::kEnter,
       sample->names.add_class("shop.Stock"),
       4,
       5'000'000'000,
       {pay},
       false,
       {{"till \"2\"", 3, 4'000'000'000, {pay}, true}, {"main", 1, 7, {}, false}}},
      {MonitorKind::kWait, sample->names.add_class("java.lang.Object[]"), 1, 2, {}, false},
      {MonitorKind::kPark, kUnknownName, 1, 1, {}, false},
      {MonitorKind::kPin, kUnknownName, 1, 1, {}, false}};
  sample->data.time.waiting = {{MonitorKind::kEnter,
                                sample->names.add_class("shop.Stock"),
                                31,
                                "till-1",
                                6'000'000,
                                "till-2",
                                {pay},
                                false}};

  const std::vector<ordered_json> lines =
      parsed_lines(whole_report(ReportFormat::kJsonl, sample->data));
  REQUIRE(lines.size() == 1 + 7 + 4);
  CHECK(lines[0]["time_lines"] == 7);
  CHECK(lines[0]["waiting"] == 1);
  CHECK(lines[1].dump() ==
        R"({"type":"method","class":"shop.Cart","method":"total","signature":"(I)J",)"
        R"("calls":1000,"exceptions":3,"total_ns":50000000000,"self_ns":40000000000,"cpu_ns":7})");
  const std::string stack =
      R"("stack":[{"class":"shop.Cart","method":"pay","signature":"()V","file":"Cart.java",)"
      R"("line":12,"bci":5}])";
  CHECK(lines[2].dump() == R"({"type":"sample","count":70,"thread":"worker \"1\"",)" + stack +
                               R"(,"truncated":true})");
  CHECK(lines[3].dump() ==
        R"({"type":"monitor","kind":"enter","class":"shop.Stock","count":4,"ns":5000000000,)"
        R"("holders":[{"thread":"till \"2\"","count":3,"ns":4000000000,)" +
            stack + R"(,"truncated":true},{"thread":"main","count":1,"ns":7,"stack":[]}],)" +
            stack + "}");
  CHECK(lines[4].dump() == R"({"type":"monitor","kind":"wait","class":"java.lang.Object[]",)"
                           R"("count":1,"ns":2,"stack":[]})");
  CHECK(lines[5]["kind"] == "park");
  CHECK(lines[6]["kind"] == "pin");
  CHECK(lines[7].dump() == R"({"type":"monitor","kind":"enter","class":"shop.Stock","count":0,"ns":0,)"
                           R"("thread":{"id":31,"name":"till-1"},"waiting_ns":6000000,"holder":"till-2",)" +
                               stack + "}");
  CHECK(lines[8]["type"] == "record");
}
