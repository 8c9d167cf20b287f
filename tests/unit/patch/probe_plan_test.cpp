#include "probes/plans/probe_plan.h"

#include <catch2/catch.hpp>

using namespace ddm;

namespace {

std::string problem_of(ProbeRequest request) {
  const auto spec = parse_probe(std::move(request));
  return spec ? "" : spec.message();
}

bci::MethodPatches plan(ProbeRequest request, std::string descriptor = "(I)I") {
  auto spec = parse_probe(std::move(request));
  REQUIRE(spec);
  return probe_patches(*spec, {"shop/Cart", "total", std::move(descriptor), 100, {"shop/Cart"}});
}

}  // namespace

TEST_CASE("what does not go together is refused with a reason") {
  CHECK(problem_of({}).find("no method is named") != std::string::npos);
  ProbeRequest both{.methods = "a.B.c", .line = 3, .field = "x"};
  CHECK(problem_of(both).find("not at both") != std::string::npos);
  ProbeRequest timed_line{.what = kProbeTime, .methods = "a.B.c", .line = 3};
  CHECK(problem_of(timed_line).find("of a whole method") != std::string::npos);
  ProbeRequest wrong{.methods = "a.B.c", .condition = "arg1"};
  CHECK(problem_of(wrong).find("the condition 'arg1'") != std::string::npos);
  CHECK(problem_of({.methods = "a.B.c"}).empty());
}

TEST_CASE("a probe that counts is one call at the entry") {
  const bci::MethodPatches patches = plan({.methods = "shop.Cart.total"});
  REQUIRE(patches.patches.size() == 1);
  CHECK(patches.patches[0].site == bci::SiteKind::kEnter);
  REQUIRE(patches.patches[0].before.size() == 1);
  CHECK(patches.patches[0].before[0].sink.name == "count");
  CHECK(patches.patches[0].before[0].sink.descriptor == "(I)V");
}

TEST_CASE("the result of a condition is the last parameter") {
  const bci::MethodPatches patches = plan({.methods = "shop.Cart.total", .condition = "arg1 > 3"});
  CHECK(patches.patches[0].before[0].sink.descriptor == "(IZ)V");
  CHECK(patches.patches[0].before[0].conditions.size() == 1);
}

TEST_CASE("with a condition on what is returned hits are where the method returns") {
  const bci::MethodPatches patches = plan({.what = kProbeReturn | kProbeArguments,
                                           .methods = "shop.Cart.total",
                                           .condition = "return > 3 && arg1 == 1",
                                           .records = 5});
  REQUIRE(patches.patches.size() == 1);
  CHECK(patches.patches[0].site == bci::SiteKind::kExit);
  REQUIRE(patches.patches[0].before.size() == 3);
  CHECK(patches.patches[0].before[0].sink.descriptor == "(IZ)I");
  CHECK(patches.patches[0].before[0].conditions[0].left.kind == bci::ArgumentKind::kReturn);
  CHECK(patches.patches[0].before[2].arguments[2].kind == bci::ArgumentKind::kReturn);
  ProbeRequest timed{.what = kProbeTime, .methods = "a.B.c", .condition = "return == 1"};
  CHECK(problem_of(timed).find("a condition on what is returned") != std::string::npos);
  ProbeRequest line{.methods = "a.B.c", .condition = "return == 1", .line = 3};
  CHECK(problem_of(line).find("a condition on what is returned") != std::string::npos);
}

TEST_CASE("with a condition on the duration hits are where the method ends, either way") {
  const bci::MethodPatches patches = plan({.what = kProbeReturn | kProbeThrows | kProbeTime,
                                           .methods = "shop.Cart.total",
                                           .condition = "took > 1us && return > 3 || took > 1s",
                                           .records = 5});
  REQUIRE(patches.patches.size() == 3);
  CHECK(patches.patches[0].site == bci::SiteKind::kEnter);
  CHECK(patches.patches[0].before[0].sink.descriptor == "()J");
  const auto names = [&](std::size_t at) {
    std::string all;
    for (const bci::PatchCall& call : patches.patches[at].before) all += call.sink.name + ' ';
    return all;
  };
  CHECK(patches.patches[1].site == bci::SiteKind::kExit);
  CHECK(names(1) == "elapsed holds open add value value ");
  CHECK(patches.patches[2].site == bci::SiteKind::kThrow);
  CHECK(names(2) == names(1));
  const auto conditions = [&](std::size_t at) { return patches.patches[at].before[1].conditions; };
  REQUIRE(conditions(1).size() == 3);
  CHECK(conditions(1)[0].left.name == patches.patches[1].before[0].result_local);
  CHECK(conditions(1)[1].left.kind == bci::ArgumentKind::kReturn);
  // Nothing is returned there, and 0 != 0 never holds.
  CHECK(conditions(2)[1].left.kind == bci::ArgumentKind::kInteger);
  CHECK(conditions(2)[2].alternative);

  const bci::MethodPatches counted =
      plan({.methods = "shop.Cart.total", .condition = "took > 1us"});
  CHECK(counted.patches[1].before[1].sink.descriptor == "(IZ)V");
  ProbeRequest line{.methods = "a.B.c", .condition = "took > 1", .line = 3};
  CHECK(problem_of(line) == "a condition on how long a call took is of a whole method");
}

TEST_CASE("conditions are evaluated once, also for a timed record") {
  const bci::MethodPatches patches = plan({.what = kProbeTime | kProbeArguments,
                                           .methods = "shop.Cart.total",
                                           .condition = "arg1 > 3",
                                           .records = 5});
  std::size_t conditions = 0;
  for (const bci::PatchCall& call : patches.patches[0].before) conditions += call.conditions.size();
  CHECK(conditions == 1);
}

TEST_CASE("two probes of a method have variables of their own") {
  const auto spec = parse_probe({.what = kProbeTime, .methods = "a.B.c"});
  REQUIRE(spec);
  const auto variable = [&](std::int32_t cell) {
    return probe_patches(*spec, {"a/B", "c", "()V", cell}).patches[0].before[0].result_local;
  };
  CHECK(variable(64) != variable(128));
}

TEST_CASE("what a condition costs is known") {
  const auto work = [](const char* condition) {
    const auto spec = parse_probe({.methods = "a.B.c", .condition = condition});
    REQUIRE(spec);
    return spec->condition_work();
  };
  CHECK(work("arg1 > 3 || this.sum == 2").is_cheap());
  CHECK(work("this.next.sum == 3 && arg1.items[3].price > 5").steps == 4);
  CHECK(work("arg1.owner == 'Ann'").steps == 2);  // its text is read, too
  CHECK(work("took > 10ms").timed);
}

TEST_CASE("what is returned is recorded where there is something") {
  const ProbeRequest request{.what = kProbeReturn, .methods = "shop.Cart.total", .records = 5};
  const auto kind = [&](const char* descriptor) {
    return plan(request, descriptor).patches[1].before[0].arguments[2].kind;
  };
  CHECK(kind("(I)I") == bci::ArgumentKind::kReturn);
  CHECK(kind("(I)V") == bci::ArgumentKind::kInteger);
}

TEST_CASE("this is recorded before the arguments if it is asked for, but in no constructor") {
  const auto kinds = [](std::uint8_t what, const char* method) {
    const auto spec = parse_probe({.what = what, .methods = "a.B.c", .records = 5});
    REQUIRE(spec);
    const bci::MethodPatches plan = probe_patches(*spec, {"a/B", method, "(I)V", 1});
    std::vector<bci::ArgumentKind> found;
    for (const bci::PatchCall& call : plan.patches[0].before) {
      if (call.sink.name != "value") continue;
      found.push_back(call.arguments.back().kind);
      CHECK(call.optional == (found.back() == bci::ArgumentKind::kThis));
    }
    return found;
  };
  using enum bci::ArgumentKind;
  CHECK(kinds(kProbeArguments | kProbeThis, "c") == std::vector{kThis, kArg});
  CHECK(kinds(kProbeReturn | kProbeThis, "c") == std::vector{kThis});
  CHECK(kinds(kProbeArguments | kProbeThis, "<init>") == std::vector{kArg});
  CHECK(kinds(kProbeArguments, "c") == std::vector{kArg});
}

TEST_CASE("a field is meant by its class's name with or without the package") {
  const auto spec = parse_probe({.methods = "*.Cart.*", .field = "Cart.sum"});
  REQUIRE(spec);
  CHECK(spec->means_field("shop/Cart", "sum"));
  CHECK(spec->means_field("Cart", "sum"));
  CHECK(spec->means_field("shop/Main$Cart", "sum"));
  CHECK_FALSE(spec->means_field("shop/MyCart", "sum"));
  CHECK_FALSE(spec->means_field("shop/Cart", "total"));
  const auto full = parse_probe({.methods = "*.Cart.*", .field = "shop.Cart.sum"});
  REQUIRE(full);
  CHECK(full->means_field("shop/Cart", "sum"));
  CHECK_FALSE(full->means_field("Cart", "sum"));
}
