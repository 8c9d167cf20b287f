// The page's data against the other reports, and what must hold for the page as a file. How it
// looks and what its script computes is shown by a browser, not here.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "core/jvm_text.h"
#include "page_stacks.h"
#include "report_sample.h"

using namespace ddm;
using nlohmann::json;

TEST_CASE("The page's tree holds every stack, below its thread, with lines") {
  const auto sample = small_sample();
  const json data = page_data(html_report(sample->data));
  CHECK(page_stacks(data, "recent", 2, true) ==
        PageStacks{
            {"(main);a.Main.run[7];a.b.Maker.make[42];byte[]", {64, 1}},
            {"(worker);[deeper frames cut][-1];a.Main.run[7];a.b.Maker.make[42];byte[]", {64, 1}},
            {"(main);a.Main.run[7];a.Main$$Lambda/0x12.get[-1];java.lang.Object.clone[-2];"
             "java.lang.Integer",
             {16, 1}},
            {"();int[][]", {56, 1}}});
  CHECK(data["recorded_bytes"] == 200);
  CHECK(data["recent"]["bytes"] == 200);
  CHECK(data["recent"]["count"] == 4);
  CHECK(data["oldest_ms"] == 1000);
  CHECK(data["newest_ms"] == 4000);
}

TEST_CASE("The page knows of each method whose it is, and of each thread its books") {
  const auto sample = small_sample();
  const json data = page_data(html_report(sample->data));
  std::map<std::string, char> origins;
  for (std::size_t i = 0; i < data["names"].size(); ++i) {
    origins[data["names"][i]] = data["origins"].get<std::string>().at(i);
  }
  CHECK(origins == std::map<std::string, char>{{"[deeper frames cut]", '9'},
                                               {"a.Main.run", '0'},
                                               {"a.Main$$Lambda/0x12.get", '0'},
                                               {"a.b.Maker.make", '0'},
                                               {"java.lang.Object.clone", '3'}});
  CHECK(data["threads"] == json::parse(R"([
    [1, "main", 80, 2, 1500, 500, 0], [2, "worker", 64, 1, 700, 700, 0],
    [3, "", 56, 1, null, null, null]])"));
  CHECK(data["summary"]["seen"] == 1234567);
}

TEST_CASE("The recent records stand in the page by moment, too") {
  const auto sample = small_sample();  // one a second
  const json data = page_data(html_report(sample->data));
  const json& moments = data["recent"]["moments"];
  CHECK(moments["step_ms"] == 10);
  PageNumbers numbers{moments["text"]};
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> at;  // moment -> bytes, count
  for (std::int64_t moment = 0; numbers.more(); ++moment) {
    for (std::int64_t left = numbers.next(); left > 0; --left) {
      CHECK(numbers.next() < 4);
      auto& [bytes, count] = at[moment];
      bytes += numbers.next();
      count += numbers.next();
    }
  }
  using Moments = std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>>;
  CHECK(at == Moments{{0, {64, 1}}, {100, {64, 1}}, {200, {16, 1}}, {300, {56, 1}}});
}

TEST_CASE("A bar of the recent records is no shorter than the clock's tick") {
  for (const std::int64_t tick : {1, 4, 10}) {
    ReportSample sample;
    sample.step_ms = tick;
    for (int i = 0; i < 50; ++i) sample.add("long[]", 24, 1, {});
    CHECK(page_data(html_report(sample.data))["recent"]["moments"]["step_ms"] == tick);
  }
}

TEST_CASE("A page of many nodes has each once, however it was found") {
  ReportSample sample;
  // 40 stacks of 30 frames, told twice: half of their frames are shared.
  for (int twice = 0; twice < 2; ++twice) {
    for (int stack = 0; stack < 40; ++stack) {
      std::vector<Frame> frames;
      for (int depth = 0; depth < 30; ++depth) {
        const int which = depth < 15 ? stack : 0;
        frames.push_back(sample.frame("a.C" + std::to_string(which), "m" + std::to_string(depth),
                                      "C.java", depth + 1));
      }
      sample.add("long[]", 24, 1, frames);
    }
  }
  const json data = page_data(html_report(sample.data));
  CHECK(data["recent"]["nodes"] == 1 + 1 + 15 + 40 * 15 + 40);
  const PageStacks stacks = page_stacks(data, "recent", 2);
  CHECK(stacks.size() == 40);
  for (const auto& [stack, figures] : stacks) CHECK(figures == std::vector<std::int64_t>{48, 2});
}

TEST_CASE("Names stand in the page as they are") {
  const auto sample = small_sample();
  const std::string page = html_report(sample->data);
  CHECK(page.find("\"a.b.Maker.make\"") != std::string::npos);
  CHECK(page.find("\"a.Main$$Lambda/0x12.get\"") != std::string::npos);
  ReportSample with_constructor;
  with_constructor.add("a.A", 16, 1, {with_constructor.frame("a.A", "<init>", "A.java", 1)});
  CHECK(html_report(with_constructor.data).find("\"a.A.<init>\"") != std::string::npos);
}

TEST_CASE("No name gets out of its script element") {
  const auto sample = hostile_sample();
  const std::string page = html_report(sample->data);
  CHECK(page == utf8_of(page));
  const std::string text = page_data_text(page);
  CHECK(text.find("<!--") == std::string::npos);
  CHECK(page.find("\n", page.find(text) + text.size()) != std::string::npos);
  const json data = json::parse(text);
  CHECK(data["threads"][0][1] == "t\"\\\\u000d\\u000a\\u007f</script>\\u0000");
  CHECK(data["names"][1] == "b.</script><!--.</SCRIPT >");
  CHECK(data["files"][1] == "<script>");
  CHECK(data["summary"]["app"] == "evil</script>\xF0\x9F\x98\x80\xEF\xBF\xBD.jar");
  CHECK(data["names"][2] == "a.\"Q\"\\.line\\u000abreak\\u0009\\u0001");
}

TEST_CASE("The page asks nobody for anything") {
  const auto sample = small_sample();
  const std::string page = html_report(sample->data);
  for (const char* reference :
       {"http:", "https:", " src=", " href=", "@import", "url(", "fetch(", "@PAGE"}) {
    CHECK(page.find(reference) == std::string::npos);
  }
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(page.ends_with("</html>\n"));
}

TEST_CASE("A page without records has an empty tree") {
  ReportSample sample;
  const json data = page_data(html_report(sample.data));
  CHECK(data["recent"]["tree"] == "");
  CHECK(data["recent"]["nodes"] == 1);
  CHECK(data["recorded_bytes"] == 0);
  CHECK(data["classes"].empty());
  CHECK(data["threads"].empty());
  CHECK(data["summary"]["recorded"] == 0);
}

TEST_CASE("The page of samples has estimates, rounded once a stack") {
  const auto sample = sampled_sample();
  const json data = page_data(html_report(sample->data));
  CHECK(data["summary"]["interval"] == 1024);
  CHECK(data["recorded_bytes"] == 4624);
  CHECK(data["recorded_count"] == 130);
  CHECK(page_stacks(data, "recent", 2) ==
        PageStacks{{"(main);a.Main.run;byte[]", {2560, 1}},
                   {"(main);a.Main.run;java.lang.Integer", {2064, 129}}});
  CHECK(data["threads"][0] == json::parse(R"([1, "main", 4624, 130, 5000, 4624, 0])"));
}
