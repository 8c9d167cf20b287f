#include "time/calls/method_filter.h"

#include <catch2/catch.hpp>

using ddm::MethodFilter;

TEST_CASE("a pattern names classes, methods, or both") {
  const MethodFilter package("shop.*");
  CHECK(package.wants("shop/Cart", "total", false));
  CHECK(package.wants("shop/deep/Cart", "<init>", false));
  CHECK_FALSE(package.wants("shopping/Cart", "total", false));

  const MethodFilter method("*.Cart.total");
  CHECK(method.wants("shop/Cart", "total", false));
  CHECK_FALSE(method.wants("shop/Cart", "totals", false));
  CHECK_FALSE(method.wants("shop/BigCart", "total", false));

  const MethodFilter whole_class("shop.Cart$Item");
  CHECK(whole_class.wants("shop/Cart$Item", "price", false));
  CHECK_FALSE(whole_class.wants("shop/Cart", "price", false));
}

TEST_CASE("several patterns mean any of them, and stars stand for anything") {
  MethodFilter filter("a.B.c,x.*.z");
  CHECK(filter.wants("a/B", "c", false));
  CHECK(filter.wants("x/y/W", "z", false));
  CHECK_FALSE(filter.wants("x/y/W", "zz", false));
  CHECK_FALSE(filter.wants("q/R", "s", false));
  filter.add("q.R");
  CHECK(filter.wants("q/R", "s", false));
}

TEST_CASE("the JDK's own classes are meant only by name") {
  const MethodFilter all("");
  CHECK(all.wants("shop/Cart", "total", false));
  CHECK_FALSE(all.wants("java/util/HashMap", "get", true));
  const MethodFilter any_get("*.get");
  CHECK(any_get.wants("shop/Cart", "get", false));
  CHECK_FALSE(any_get.wants("java/util/HashMap", "get", true));
  const MethodFilter named("java.util.HashMap.get");
  CHECK(named.wants("java/util/HashMap", "get", true));
  CHECK_FALSE(named.wants("java/util/HashMap", "put", true));
}

TEST_CASE("a pattern that means a class means all of its methods") {
  for (const char* whole : {"shop.*", "shop.Cart", "*.Cart", ""}) {
    CHECK(MethodFilter(whole).wants_all_of("shop/Cart", false));
  }
  for (const char* some : {"shop.Cart.total", "*.total", "shop.Cart.*", "shop.Car"}) {
    CHECK_FALSE(MethodFilter(some).wants_all_of("shop/Cart", false));
  }
  CHECK_FALSE(MethodFilter("*").wants_all_of("java/util/HashMap", true));
}

TEST_CASE("a class without wanted methods is told from its name where that is certain") {
  const MethodFilter filter("shop.Cart.total");
  CHECK(filter.may_want_class("shop/Cart", false));
  CHECK_FALSE(filter.may_want_class("shop/Car", false));
  CHECK_FALSE(filter.may_want_class("other/Cart", false));
  CHECK(MethodFilter("*.total").may_want_class("other/Cart", false));
  CHECK_FALSE(MethodFilter("*.total").may_want_class("java/util/HashMap", true));
  CHECK_FALSE(MethodFilter().wants("shop/Cart", "total", false));
}
