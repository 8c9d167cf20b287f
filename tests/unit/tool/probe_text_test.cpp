#include "probe_text.h"

#include <algorithm>
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
  CHECK(text.find("main: total(7, \"two\\nlines\") = 12, 320 ns") != std::string::npos);
  CHECK(text.find("    at shop.Main.main(Main.java:4)") != std::string::npos);
  CHECK(text.find("used 1.2 % of the program's CPU, of 5 % allowed") != std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("strings are in quotes where people read them, and null is not") {
  ProbeFindings findings;
  findings.methods = {{"shop.Cart",
                       "add",
                       "(Ljava/lang/String;Ljava/lang/Object;I)Ljava/lang/String;",
                       "",
                       3,
                       0,
                       {},
                       {}}};
  auto& records = findings.methods[0].records;
  records.push_back({1, "main", kProbeArguments | kProbeReturn, 0, {"", "x", "5"}, "null", "", {}});
  records.push_back(
      {2, "main", kProbeArguments | kProbeReturn, 0, {"null", "", "5"}, "a \"b\\", "", {}});
  const ProbeRequest request{.what = kProbeArguments | kProbeReturn, .methods = "shop.Cart.add"};
  const std::string text = probe_text(request, findings, 80);
  CHECK(text.find("main: add(\"\", x, 5) = null\n") != text.npos);
  CHECK(text.find("main: add(null, \"\", 5) = \"a \\\"b\\\\\"\n") != text.npos);
  const Json json = probe_json(request, findings);
  CHECK(json["probes"][0]["records"][0]["args"] == Json{"", "x", "5"});
  CHECK(json["probes"][0]["records"][1]["return"] == "a \"b\\");

  // The one value of a field is no argument of the method.
  records = {{1, "main", kProbeArguments, 0, {"7"}, "", "", {}}};
  CHECK(probe_text({.methods = "shop.Cart.add", .field = "Cart.sum"}, findings, 80)
            .find("main: add: Cart.sum = 7\n") != text.npos);
}

TEST_CASE("this is shown apart from the arguments that it comes with") {
  ProbeFindings findings = sample_findings();
  auto& record = findings.methods[0].records[0];
  const std::string self = "shop.Cart@1f{name=\"cup\", sum=12}";
  record.what |= kProbeThis;
  record.arguments.insert(record.arguments.begin(), self);
  const ProbeRequest request{.methods = "shop.Cart.*"};
  const std::string text = probe_text(request, findings, 80);
  CHECK(text.find("total(7, \"two\\nlines\") = 12, 320 ns\n    this = " + self + "\n    at ") !=
        text.npos);
  Json json = probe_json(request, findings)["probes"][0]["records"][0];
  CHECK(json["this"] == self);
  CHECK(json["args"] == Json{"7", "two\nlines"});
  record.what = kProbeThis | kProbeReturn;
  record.arguments.resize(1);
  json = probe_json(request, findings)["probes"][0]["records"][0];
  CHECK(json["this"] == self);
  CHECK_FALSE(json.contains("args"));
  record.arguments.clear();  // as an agent does not send it
  CHECK_FALSE(probe_json(request, findings)["probes"][0]["records"][0].contains("this"));
}

TEST_CASE("overloads are told apart where probes are listed") {
  ProbeFindings findings = sample_findings();
  CHECK(probe_text({}, findings, 80).find("shop.Cart.pay()") == std::string::npos);
  findings.methods.push_back({"shop.Cart", "pay", "(I)V", "", 5, 0, {}, {}});
  const std::string text = probe_text({}, findings, 80);
  CHECK(text.find("shop.Cart.pay()") != std::string::npos);
  CHECK(text.find("shop.Cart.pay(int)") != std::string::npos);
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

TEST_CASE("probes are listed by hits, by time where that is measured, and last those without one") {
  ProbeFindings findings;
  findings.methods = {{"A", "none", "()V", "a native method has no code", 0, 0, {}, {}},
                      {"A", "few", "()V", "", 1, 900, {}, {}},
                      {"A", "zero", "()V", "", 0, 0, {}, {}},
                      {"A", "many", "()V", "budget", 50, 100, {}, {}},
                      {"A", "most", "()V", "", 70, 100, {}, {}}};
  const auto order = [&findings](const ProbeRequest& request) {
    sort_methods(request, findings);
    std::string names;
    for (const auto& method : findings.methods) names += method.method + " ";
    return names;
  };
  CHECK(order({}) == "most many few zero none ");
  CHECK(order({.what = kProbeTime}) == "few most many zero none ");
}

TEST_CASE("why methods have no probe is told once for each reason, and not again at the end") {
  ProbeFindings start;
  start.notes = {"early"};
  for (const char* method : {"a", "b", "c", "d", "e", "f"}) {
    start.methods.push_back({"A", method, "()V", "a native method has no code", 0, 0, {}, {}});
  }
  start.methods.push_back({"A", "g", "()V", "budget", 0, 0, {}, {}});
  CHECK_FALSE(any_probe_in(start));
  CHECK(reasons_text(start) ==
        std::vector<std::string>{"A.a, A.b, A.c, A.d, A.e and 1 more: a native method has no code",
                                 "A.g: it cost more than the budget"});
  ProbeFindings end = start;
  end.notes.emplace_back("late");
  end.methods.push_back({"B", "later", "()V", "a native method has no code", 0, 0, {}, {}});
  ProbeFindings shown = end;
  remove_told(start, shown);
  CHECK(shown.notes == std::vector<std::string>{"late"});
  REQUIRE(shown.methods.size() == 1);
  CHECK(shown.methods[0].class_name == "B");

  // Where one has a probe, the start names no reasons.
  start.methods.push_back({"A", "h", "()V", "", 0, 0, {}, {}});
  CHECK(any_probe_in(start));
  shown = end;
  remove_told(start, shown);
  CHECK(shown.methods.size() == end.methods.size());
}

TEST_CASE("an interval of probes has what came since the one before") {
  const ProbeRequest request{.what = kProbeTime};
  ProbeFindings findings;
  findings.methods = {{"shop.Cart", "total", "()V", "", 5, 1000, {0, 5}, {}},
                      {"shop.Cart", "pay", "()V", "", 0, 0, {0, 0}, {}}};
  ProbeIntervals lines(request);
  ProbeIntervals objects(request);
  CHECK(lines.text(findings, 1.0, 80) ==
        "       S         HITS       HITS/S      MEAN  METHOD\n"
        "     1.0            5          5.0    200 ns  shop.Cart.total\n");
  CHECK(
      objects.json(findings, 1.0).dump() ==
      R"({"s":1.0,"probes":[{"class":"shop.Cart","method":"total","signature":"()V","hits":5,"ns":1000}]})");
  CHECK(lines.text(findings, 2.0, 80).empty());
  CHECK(objects.json(findings, 2.0).dump() == R"({"s":2.0,"probes":[]})");
  findings.methods[0].hits = 2005;
  findings.methods[1].hits = 3;
  findings.methods[1].ns = 30'000;
  findings.methods[1].times[1] = 2;
  findings.methods.push_back(
      {"a.very.long_name.of.a.package_.that.nobody.reads.Cart", "total", "()V", "", 1, 0, {}, {}});
  const std::string text = lines.text(findings, 4.0, 80);
  CHECK(text.find("     4.0            3          1.5   15.0 us  shop.Cart.pay\n") == 0);
  CHECK(text.find("     4.0        2,000        1,000         -  shop.Cart.total\n") != text.npos);
  std::istringstream rows(text);
  for (std::string row; std::getline(rows, row);) CHECK(row.size() <= 80);
  CHECK(std::ranges::count(text, '\n') == 3);
}
