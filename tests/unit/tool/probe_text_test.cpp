#include "probe_text.h"

#include <catch2/catch.hpp>
#include <sstream>

using namespace ddm;

namespace {

ProbeFindings sample_findings() {
  ProbeFindings findings;
  findings.limit_percent = 5;
  findings.used_millis = 1260;
  ProbeFindings::Method method{"shop.Cart", "total", "(ILjava/lang/String;)I", "", 1234567, 2500,
                               {},          {}};
  method.times.assign(40, 0);
  method.times[5] = 3;
  method.times[10] = 1;
  method.records.push_back({1,
                            "main",
                            kProbeArguments | kProbeReturn,
                            320,
                            {"7", "two\nlines"},
                            "12",
                            "",
                            {{"shop.Main", "main", "Main.java", 4}}});
  ProbeFindings::Method removed{"shop.Cart", "pay", "()V", "budget", 3, 0, {}, {}};
  findings.methods = {method, removed};
  findings.notes = {std::string(30, 'x') + " " + std::string(30, 'y') + " " + std::string(40, 'z')};
  return findings;
}

}  // namespace

TEST_CASE("what probes found is shown in 80 columns, a value on one line") {
  const ProbeRequest request{.what = kProbeTime | kProbeArguments | kProbeReturn,
                             .methods = "shop.Cart.*"};
  const std::string text = probe_text(request, sample_findings(), 80);
  CHECK(text.find("1,234,567") != std::string::npos);
  CHECK(text.find("taken out: it cost more than the budget") != std::string::npos);
  CHECK(text.find("main: total(7, two\\nlines) = 12, 320 ns") != std::string::npos);
  CHECK(text.find("    at shop.Main.main(Main.java:4)") != std::string::npos);
  CHECK(text.find("used 1.2 % of the program's CPU, of 5 % allowed") != std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("overloads are told apart where probes are listed") {
  ProbeFindings findings = sample_findings();
  CHECK(probe_text({}, findings, 80).find("shop.Cart.pay()V") == std::string::npos);
  findings.methods.push_back({"shop.Cart", "pay", "(I)V", "", 5, 0, {}, {}});
  const std::string text = probe_text({}, findings, 80);
  CHECK(text.find("shop.Cart.pay()V") != std::string::npos);
  CHECK(text.find("shop.Cart.pay(I)V") != std::string::npos);
}

TEST_CASE("the JSON of probes has an entry for each method") {
  const ProbeRequest request{.what = kProbeTime, .methods = "shop.Cart.*"};
  const Json json = probe_json(request, sample_findings());
  REQUIRE(json["probes"].size() == 2);
  const Json& total = json["probes"][0];
  CHECK(total["class"] == "shop.Cart");
  CHECK(total["signature"] == "(ILjava/lang/String;)I");
  CHECK(total["hits"] == 1234567);
  CHECK(total["total_ns"] == 2500);
  CHECK(total["removed"].is_null());
  CHECK(total["times"].size() == 2);
  CHECK(total["times"][0]["below_ns"] == 32);
  CHECK(total["records"][0]["args"][0] == "7");
  CHECK(total["records"][0]["stack"][0]["line"] == 4);
  CHECK(json["probes"][1]["removed"] == "budget");
  CHECK(json["budget"]["limit_percent"] == 5);
  CHECK(json["budget"]["used_percent"] == 1.26);
}
