#include <catch2/catch.hpp>

#include "gate/baseline.h"
#include "gate/comparison.h"
#include "stack/names/first_use.h"

namespace ddm {
namespace {

Baseline baseline_of(std::string_view text) {
  const auto baseline = Baseline::parse(text);
  REQUIRE(baseline);
  return *baseline;
}

}  // namespace

TEST_CASE("a baseline is read, written and sorted, with its comments and sections") {
  const auto baseline =
      baseline_of("# ours\n# jdk 17\np.T.b\t2\t48\np.T.a\t1\t24\n\n[jdk 21]\np.T.b\t3\t72\n");
  CHECK(baseline.jdk() == 17);
  CHECK(baseline.of(17) == Amounts{{"p.T.a", {1, 24}}, {"p.T.b", {2, 48}}});
  CHECK(baseline.of(21) == Amounts{{"p.T.a", {1, 24}}, {"p.T.b", {3, 72}}});
  CHECK(baseline.text() ==
        "# ours\n# jdk 17\np.T.a\t1\t24\np.T.b\t2\t48\n[jdk 21]\np.T.b\t3\t72\n");
}

TEST_CASE("what is no line of a baseline is named by its number") {
  for (const char* wrong : {"p.T.a 1 24", "p.T.a\t1", "p.T.a\t-1\t24", "\t1\t2", "p.T.a\tx\t24"}) {
    const auto baseline = Baseline::parse(std::string("# x\n") + wrong);
    REQUIRE_FALSE(baseline);
    CHECK(baseline.message().starts_with("line 2: "));
  }
  CHECK_FALSE(Baseline::parse("[jdk x]"));
}

TEST_CASE("another version gets a section for what it does otherwise, and for nothing else") {
  Baseline baseline;
  baseline.update(17, {{"a", {1, 10}}, {"b", {2, 20}}});
  baseline.update(21, {{"a", {1, 10}}, {"b", {3, 30}}, {"c", {1, 1}}});
  CHECK(baseline.text() == "# jdk 17\na\t1\t10\nb\t2\t20\n[jdk 21]\nb\t3\t30\nc\t1\t1\n");
  baseline.update(21, {{"a", {1, 10}}, {"b", {2, 20}}});
  CHECK(baseline.text() == "# jdk 17\na\t1\t10\nb\t2\t20\n");
  baseline.update(17, {{"b", {1, 10}}});
  CHECK(baseline.text() == "# jdk 17\nb\t1\t10\n");
}

TEST_CASE("what is more than the tolerance allows has grown") {
  const Amounts before{{"a", {10, 100}}, {"b", {10, 100}}, {"gone", {1, 1}}, {"high", {9, 900}}};
  const Amounts now{{"a", {11, 100}}, {"b", {10, 100}}, {"fresh", {1, 8}}, {"high", {1, 100}}};
  const auto exact = compare(before, now, *Tolerance::parse("0"));
  REQUIRE(exact.grown.size() == 1);
  CHECK(exact.grown[0].name == "a");
  REQUIRE(exact.fresh.size() == 1);
  REQUIRE(exact.gone.size() == 1);
  REQUIRE(exact.shrunk.size() == 1);
  CHECK(much_too_high(exact.shrunk[0]));
  CHECK(exact.same == 1);
  CHECK(compare(before, now, *Tolerance::parse("10%")).grown.empty());
  CHECK(compare(before, now, *Tolerance::parse("9%")).grown.size() == 1);
  CHECK(compare(before, now, *Tolerance::parse("1k")).grown.empty());
  for (const char* wrong : {"", "%", "-1", "x", "5%%", "1g"}) CHECK_FALSE(Tolerance::parse(wrong));
}

TEST_CASE(
    "first uses are class initialisers, loading and linkage, and nothing that looks like them") {
  CHECK(is_of_first_use("shop.Shop", "<clinit>"));
  CHECK(is_of_first_use("java.lang.ClassLoader", "loadClass"));
  CHECK(is_of_first_use("jdk.internal.loader.BuiltinClassLoader", "findClassOnClassPathOrNull"));
  CHECK(is_of_first_use("java.lang.invoke.MethodHandleNatives", "linkCallSite"));
  CHECK_FALSE(is_of_first_use("shop.ClassLoader", "loadClass"));
  CHECK_FALSE(is_of_first_use("shop.Shop", "<init>"));
  CHECK_FALSE(is_of_first_use("java.lang.ClassLoader", "getResource"));
  CHECK_FALSE(is_of_first_use("java.lang.StringConcatHelper", "newString"));
}

}  // namespace ddm
