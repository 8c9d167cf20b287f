#include "time/calls/method_filter.h"

#include <catch2/catch.hpp>

using ddm::MethodFilter;

TEST_CASE("a pattern names classes, methods, or both") {
  const MethodFilter package("shop.*");
  CHECK(package.wants("shop/Cart", "total", "()V", false));
  CHECK(package.wants("shop/deep/Cart", "<init>", "()V", false));
  CHECK_FALSE(package.wants("shopping/Cart", "total", "()V", false));

  const MethodFilter method("*.Cart.total");
  CHECK(method.wants("shop/Cart", "total", "()V", false));
  CHECK_FALSE(method.wants("shop/Cart", "totals", "()V", false));
  CHECK_FALSE(method.wants("shop/BigCart", "total", "()V", false));

  const MethodFilter whole_class("shop.Cart$Item");
  CHECK(whole_class.wants("shop/Cart$Item", "price", "()V", false));
  CHECK_FALSE(whole_class.wants("shop/Cart", "price", "()V", false));
}

TEST_CASE("several patterns mean any of them, and stars stand for anything") {
  MethodFilter filter("a.B.c,x.*.z");
  CHECK(filter.wants("a/B", "c", "()V", false));
  CHECK(filter.wants("x/y/W", "z", "()V", false));
  CHECK_FALSE(filter.wants("x/y/W", "zz", "()V", false));
  CHECK_FALSE(filter.wants("q/R", "s", "()V", false));
  filter.add("q.R");
  CHECK(filter.wants("q/R", "s", "()V", false));
}

TEST_CASE("the JDK's own classes are meant only by name") {
  const MethodFilter all("");
  CHECK(all.wants("shop/Cart", "total", "()V", false));
  CHECK_FALSE(all.wants("java/util/HashMap", "get", "()V", true));
  const MethodFilter any_get("*.get");
  CHECK(any_get.wants("shop/Cart", "get", "()V", false));
  CHECK_FALSE(any_get.wants("java/util/HashMap", "get", "()V", true));
  const MethodFilter named("java.util.HashMap.get");
  CHECK(named.wants("java/util/HashMap", "get", "()V", true));
  CHECK_FALSE(named.wants("java/util/HashMap", "put", "()V", true));
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
  CHECK_FALSE(MethodFilter().wants("shop/Cart", "total", "()V", false));
}

TEST_CASE("parameters tell overloads apart") {
  const MethodFilter one("shop.Cart.total(int, java.lang.String),x.Y.z()");
  CHECK(one.wants("shop/Cart", "total", "(ILjava/lang/String;)J", false));
  CHECK_FALSE(one.wants("shop/Cart", "total", "(I)J", false));
  CHECK_FALSE(one.wants("shop/Cart", "total", "(ILjava/lang/Object;)J", false));
  CHECK(one.wants("x/Y", "z", "()V", false));
  CHECK_FALSE(one.wants("x/Y", "z", "(J)V", false));
  CHECK(one.may_want_class("shop/Cart", false));
  CHECK_FALSE(one.may_want_class("shop/Other", false));
  const MethodFilter loose("*.total(String[],long[][],Cart$Item,*)");
  CHECK(loose.wants("a/B", "total", "([Ljava/lang/String;[[JLshop/Cart$Item;D)V", false));
  CHECK_FALSE(loose.wants("a/B", "total", "([Lmy/BigString;[[JLshop/Cart$Item;D)V", false));
  CHECK_FALSE(loose.wants("a/B", "total", "nonsense", false));
  // A class has no parameters.
  CHECK_FALSE(MethodFilter("a.B()").wants("a/B", "total", "()V", false));
}

TEST_CASE("parentheses that do not close are a fault") {
  for (const char* wrong : {"a.B.c(int", "a.B.c)", "a.B.c(int)x", "(int)", "a.b,c.d(int,e.f"}) {
    INFO(wrong);
    CHECK(MethodFilter::fault(wrong).find("is no method with parameters") != std::string::npos);
  }
  for (const char* right : {"", "a.B", "a.B.c()", "a.B.c(int,long),d.*", "*"}) {
    INFO(right);
    CHECK(MethodFilter::fault(right).empty());
  }
  CHECK_FALSE(MethodFilter("a.B.c(int").wants("a/B", "c", "(I)V", false));
}
