#include "probes/plans/probe_condition.h"

#include <catch2/catch.hpp>

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
  const bci::PatchCondition& condition = (*parsed)[0];
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

TEST_CASE("true and false are numbers, and no condition is always true") {
  const auto parsed = parse_condition("open != true");
  REQUIRE(parsed);
  CHECK(std::get<std::int64_t>((*parsed)[0].right) == 1);
  const auto none = parse_condition("  ");
  REQUIRE(none);
  CHECK(none->empty());
}

TEST_CASE("a wrong condition says what is wrong and what would be right") {
  CHECK(problem("arg1 = 3") ==
        "the condition 'arg1 = 3': '=' is no relation; right is == != < <= > or >=");
  CHECK(problem("arg0 == 1") ==
        "the condition 'arg0 == 1': there is no arg0; arguments are arg1 to arg255");
  CHECK(problem("arg1 >") == "the condition 'arg1 >': behind the relation a constant is missing");
  CHECK(problem("arg1 > 5 || arg2 > 3").find("'||'; right is && or the end") != std::string::npos);
  CHECK(problem("arg1 > 5 &&").find("a comparison is missing at the end") != std::string::npos);
  CHECK(problem("arg1 == 'x").find("a text does not end with '") != std::string::npos);
  CHECK(problem("arg1 < null").find("compared with == and != only") != std::string::npos);
  CHECK(problem("arg1 == 99999999999999999999x").find("is no number") != std::string::npos);
  CHECK(problem("3 > arg1").find("'3' is no name") != std::string::npos);
  CHECK(problem("arg1 > foo").find("'foo' is no constant") != std::string::npos);
  CHECK(problem("this. == 1").find("the name of a field is missing") != std::string::npos);
}

TEST_CASE("a condition has bounds") {
  CHECK(problem(std::string(1001, 'a')).find("longer than 1000") != std::string::npos);
  std::string many = "a==1";
  for (int i = 0; i < 16; ++i) many += "&&a==1";
  CHECK(problem(many).find("more than 16") != std::string::npos);
}
