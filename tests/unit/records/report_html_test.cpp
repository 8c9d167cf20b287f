// The page's data against the other reports, and what must hold for the page as a file. How it
// looks and what its script computes is shown by a browser, not here.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "core/jvm_text.h"
#include "report_sample.h"

using namespace ddm;
using nlohmann::json;

namespace {

constexpr std::string_view kDataBegin = R"(<script id="data" type="application/json">)";

std::string data_text(const std::string& page) {
  const std::size_t begin = page.find(kDataBegin) + kDataBegin.size();
  return page.substr(begin, page.find("</script", begin) - begin);
}

json page_data(const std::string& page) { return json::parse(data_text(page)); }

// The collapsed report made from the page's tree.
std::string collapsed_of(const json& data) {
  const json& tree = data["tree"];
  const std::size_t frames = data["frames"].size();
  std::map<std::string, std::int64_t> stacks;
  for (std::size_t node = 1; node < tree["parent"].size(); ++node) {
    std::size_t name = tree["name"][node];
    REQUIRE(tree["parent"][node] < node);
    if (name < frames) {
      CHECK(tree["bytes"][node] == 0);
      continue;
    }
    std::string stack = data["classes"][name - frames].get<std::string>() + "_[new]";
    for (std::size_t at = tree["parent"][node]; at != 0; at = tree["parent"][at]) {
      name = tree["name"][at];
      std::string frame = data["frames"][name];
      std::replace(frame.begin(), frame.end(), ' ', '_');
      stack = frame + ";" + stack;
    }
    stacks[stack] += tree["bytes"][node].get<std::int64_t>();
  }
  std::string text;
  for (const auto& [stack, bytes] : stacks) text += stack + " " + std::to_string(bytes) + "\n";
  return text;
}

}  // namespace

TEST_CASE("The page's tree holds the same stacks as the collapsed report") {
  const auto sample = small_sample();
  const json data = page_data(html_report(sample->data));
  CHECK(collapsed_of(data) == collapsed_report(sample->data));
  CHECK(data["recorded_bytes"] == 200);
  CHECK(data["oldest_ms"] == 1000);
  CHECK(data["newest_ms"] == 4000);
  std::int64_t count = 0;
  for (const json& n : data["tree"]["count"]) count += n.get<std::int64_t>();
  CHECK(count == 4);
}

TEST_CASE("The page's tables hold sites and threads") {
  const auto sample = small_sample();
  const json data = page_data(html_report(sample->data));
  CHECK(data["sites"] == json::parse(R"([
    ["byte[]", "a.b.Maker.make", "Maker.java:42", "a.b.Maker.make", "Maker.java:42", 128, 2, 128],
    ["int[][]", "", "", "", "", 56, 1, 56],
    ["java.lang.Integer", "java.lang.Object.clone", "Native Method",
     "a.Main$$Lambda/0x12.get", "Unknown Source", 16, 1, 16]])"));
  CHECK(data["site_count"] == 3);
  CHECK(data["threads"] == json::parse(R"([
    [1, "main", 80, 2, 1500, 500], [2, "worker", 64, 1, 700, 700], [3, "", 56, 1, null, null]])"));
  CHECK(data["summary"]["seen"] == 1234567);
}

TEST_CASE("Cut stacks stand on a frame that says so") {
  const auto sample = small_sample();
  const json data = page_data(html_report(sample->data));
  const json& tree = data["tree"];
  CHECK(data["frames"][0] == "[deeper frames cut]");
  std::size_t cut = 0;
  for (std::size_t node = 1; node < tree["name"].size(); ++node) {
    if (tree["name"][node] == 0) {
      CHECK(tree["parent"][node] == 0);
      ++cut;
    }
  }
  CHECK(cut == 1);
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
  const std::string text = data_text(page);
  CHECK(text.find("<!--") == std::string::npos);
  CHECK(page.find("\n", page.find(text) + text.size()) != std::string::npos);
  const json data = json::parse(text);
  CHECK(data["threads"][0][1] == "t\"\\\\u000d\\u000a\\u007f</script>\\u0000");
  CHECK(data["frames"][2] == "b.</script><!--.</SCRIPT >");
  CHECK(data["summary"]["app"] == "evil</script>\xF0\x9F\x98\x80\xEF\xBF\xBD.jar");
  CHECK(data["frames"][3] == "a.\"Q\"\\.line\\u000abreak\\u0009\\u0001");
}

TEST_CASE("The page asks nobody for anything") {
  const auto sample = small_sample();
  const std::string page = html_report(sample->data);
  for (const char* reference :
       {"http:", "https:", " src=", " href=", "@import", "url(", "fetch(", "@FLAME"}) {
    CHECK(page.find(reference) == std::string::npos);
  }
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(page.ends_with("</html>\n"));
}

TEST_CASE("A page without records has an empty tree") {
  ReportSample sample;
  const json data = page_data(html_report(sample.data));
  CHECK(data["tree"]["parent"].size() == 1);
  CHECK(data["recorded_bytes"] == 0);
  CHECK(data["classes"].empty());
  CHECK(data["sites"].empty());
  CHECK(data["threads"].empty());
  CHECK(data["summary"]["recorded"] == 0);
}

TEST_CASE("The page of samples has estimates, rounded once a stack") {
  const auto sample = sampled_sample();
  const json data = page_data(html_report(sample->data));
  CHECK(data["summary"]["interval"] == 1024);
  CHECK(data["recorded_bytes"] == 4624);
  CHECK(data["recorded_count"] == 130);
  CHECK(data["sites"][0] == json::parse(R"(["byte[]", "a.Main.run", "Main.java:7",
    "a.Main.run", "Main.java:7", 2560, 1, 2560])"));
  CHECK(data["sites"][1] == json::parse(R"(["java.lang.Integer", "a.Main.run", "Main.java:7",
    "a.Main.run", "Main.java:7", 2064, 129, 2064])"));
  CHECK(data["threads"][0] == json::parse(R"([1, "main", 4624, 130, 5000, 4624])"));
}
