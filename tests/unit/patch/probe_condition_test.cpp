#include "probes/plans/probe_condition.h"

#include <catch2/catch.hpp>

#include "probes/plans/probe_plan.h"

using namespace ddm;

namespace {

std::string problem(std::string_view text) {
  const auto conditions = parse_condition(text);
  return conditions ? "" : conditions.message();
}

}  // namespace

TEST_CASE("a condition is read as what, relation and constant") {
  const auto parsed = parse_condition("arg1 > 100");
  REQUIRE(parsed);
  REQUIRE(parsed->size() == 1);
  const ProbeComparison& condition = (*parsed)[0];
  CHECK(condition.left.kind == bci::ArgumentKind::kArg);
  CHECK(condition.left.number == 1);
  CHECK(condition.relation == bci::Relation::kGreater);
  CHECK(std::get<std::int64_t>(condition.right) == 100);
}

TEST_CASE("several comparisons must all hold") {
  const auto parsed = parse_condition("  this.sum>=-1.5&&name != \"a && b\" && arg12==null");
  REQUIRE(parsed);
  REQUIRE(parsed->size() == 3);
  CHECK((*parsed)[0].left.kind == bci::ArgumentKind::kField);
  CHECK((*parsed)[0].left.name == "sum");
  CHECK((*parsed)[0].relation == bci::Relation::kGreaterOrEqual);
  CHECK(std::get<double>((*parsed)[0].right) == -1.5);
  CHECK((*parsed)[1].left.kind == bci::ArgumentKind::kLocal);
  CHECK((*parsed)[1].left.name == "name");
  CHECK(std::get<std::string>((*parsed)[1].right) == "a && b");
  CHECK((*parsed)[2].left.number == 12);
  CHECK(std::holds_alternative<std::nullptr_t>((*parsed)[2].right));
}

TEST_CASE("|| begins an alternative, and && binds before it") {
  const auto parsed = parse_condition("arg1 > 5||arg2 < 3 && arg3 == 1 || x == 'a || b'");
  REQUIRE(parsed);
  REQUIRE(parsed->size() == 4);
  const bool alternatives[] = {false, true, false, true};
  for (std::size_t i = 0; i < 4; ++i) CHECK((*parsed)[i].alternative == alternatives[i]);
  CHECK(std::get<std::int64_t>((*parsed)[0].right) == 5);
  CHECK(std::get<std::string>((*parsed)[3].right) == "a || b");
}

TEST_CASE("a path leads from an object over fields and elements") {
  const auto parsed = parse_condition(
      "this.next.sum == 3 && arg1.items[3].price > 5 && name.next != null && return.size > 10 && "
      "arg2[0] == 7 && this.sum == 1");
  REQUIRE(parsed);
  REQUIRE(parsed->size() == 6);
  const auto steps = [&](std::size_t i) { return (*parsed)[i].steps; };
  CHECK((*parsed)[0].left.kind == bci::ArgumentKind::kField);
  CHECK((*parsed)[0].left.name == "next");
  CHECK(steps(0) == std::vector<PathStep>{{.field = "sum"}});
  CHECK((*parsed)[1].left.kind == bci::ArgumentKind::kArg);
  CHECK(steps(1) == std::vector<PathStep>{{.field = "items"}, {.index = 3}, {.field = "price"}});
  CHECK((*parsed)[2].left.name == "name");
  CHECK(steps(2) == std::vector<PathStep>{{.field = "next"}});
  CHECK((*parsed)[3].left.kind == bci::ArgumentKind::kReturn);
  CHECK(steps(4) == std::vector<PathStep>{{.index = 0}});
  CHECK(steps(5).empty());
}

TEST_CASE("took is compared with a duration") {
  const auto ns = [](std::string_view text) {
    const auto parsed = parse_condition(text);
    REQUIRE(parsed);
    CHECK((*parsed)[0].left.kind == bci::ArgumentKind::kNewLocal);
    return std::get<std::int64_t>((*parsed)[0].right);
  };
  CHECK(ns("took > 10ms") == 10'000'000);
  CHECK(ns("took>=1.5us&&arg1 == 2") == 1500);
  CHECK(ns("took < 3 s") == 3'000'000'000);
  CHECK(ns("took <= 7||arg1 == 2") == 7);
  CHECK(ns("took > 7ns") == 7);
}

TEST_CASE("true and false are numbers, and no condition is always true") {
  const auto parsed = parse_condition("open != true");
  REQUIRE(parsed);
  CHECK(std::get<std::int64_t>((*parsed)[0].right) == 1);
  const auto none = parse_condition("");
  REQUIRE(none);
  CHECK(none->empty());
}

TEST_CASE("a wrong condition says what is wrong and what would be right") {
  CHECK(problem("arg1 = 3") == "the condition 'arg1 = 3': '=' is not one of == != < <= > >=");
  CHECK(problem("  ") == "the condition '  ': it is empty");
  CHECK(problem("arg1") == "the condition 'arg1': at the end one of == != < <= > >= is missing");
  CHECK(problem("arg0 == 1") ==
        "the condition 'arg0 == 1': there is no arg0; arguments are arg1 to arg255");
  CHECK(problem("arg1 >") ==
        "the condition 'arg1 >': at the end a number, true, false, null or a text in quotes is "
        "missing");
  CHECK(problem("arg1 > 5 | arg2 > 3").find("'|'; right is &&, || or the end") !=
        std::string::npos);
  CHECK(problem("arg1 > 5 ||").find("a comparison is missing at the end") != std::string::npos);
  for (const char* text : {"(arg1 > 5)", "arg1 > 5)", "arg1 > 5 && (arg2 > 3 || arg3 > 1)"}) {
    CHECK(problem(text).find("parentheses are not supported") != std::string::npos);
  }
  CHECK(problem("arg1 > 5 &&").find("a comparison is missing at the end") != std::string::npos);
  CHECK(problem("arg1 == 'x").find("a text does not end with '") != std::string::npos);
  CHECK(problem("arg1 < null").find("compared with == and != only") != std::string::npos);
  CHECK(problem("arg1 == 99999999999999999999x").find("is no number") != std::string::npos);
  CHECK(problem("3 > arg1").find("'3' is no name") != std::string::npos);
  CHECK(problem("arg1 > foo").find("'foo' is not a number, true,") != std::string::npos);
  CHECK(problem("this. == 1").find("the name of a field is missing") != std::string::npos);
}

TEST_CASE("a wrong path or duration says what would be right") {
  CHECK(problem("arg1. == 1").find("behind a '.' the name of a field is missing") !=
        std::string::npos);
  for (const char* text : {"arg1[] == 1", "arg1[-1] == 1", "arg1[x] == 1", "arg1[1 == 1",
                           "arg1[99999999999] == 1", "arg1[0"}) {
    CHECK(problem(text).find("between '[' and ']' stands one number") != std::string::npos);
  }
  CHECK(problem("name.length() > 1").find("methods are not called") != std::string::npos);
  std::string deep = "arg1";
  for (int i = 0; i < 17; ++i) deep += ".next";
  CHECK(problem(deep + " == 1").find("more than 16 fields") != std::string::npos);
  CHECK(problem("took > 10min") ==
        "the condition 'took > 10min': 'min' is no unit of time; right is ns, us, ms or s");
  CHECK(problem("took > long").find("'long' is no duration; right is a number with ns, us, ms") !=
        std::string::npos);
  CHECK(problem("took > -1ms").find("'-1ms' is no duration") != std::string::npos);
  CHECK(problem("took > 1000000000000s").find("longer than") != std::string::npos);
  CHECK(problem("took == 10ms").find("took is compared with < <= > and >= only") !=
        std::string::npos);
  CHECK(problem("took.ms > 10").find("took is a duration, which has no fields") !=
        std::string::npos);
  CHECK(problem("arg1 > 10ms").find("'10ms' is a duration, which only took is compared with") !=
        std::string::npos);
}

TEST_CASE("a text of one character has its number, which a char is compared with") {
  const auto letter = [](std::string_view text) {
    const auto parsed = parse_condition(text);
    REQUIRE(parsed);
    return (*parsed)[0].letter;
  };
  CHECK(letter("arg2 != '\xc3\xa4'") == 0xe4);
  CHECK(letter("this.ch == \"x\"") == 'x');
  CHECK(letter("arg2 == 'xy'") == -1);
  CHECK(letter("arg2 == ''") == -1);
  CHECK(letter("arg2 == '\xf0\x9f\x98\x80'") == -1);  // two units of UTF-16
  CHECK(letter("arg2 == 5") == -1);
}

TEST_CASE("a condition has bounds") {
  CHECK(problem(std::string(1001, 'a')).find("longer than 1000") != std::string::npos);
  std::string many = "a==1";
  for (int i = 0; i < 16; ++i) many += "&&a==1";
  CHECK(problem(many).find("more than 16") != std::string::npos);
}
