#include "core/class_names.h"

#include <catch2/catch.hpp>

using ddm::meant_pattern;

TEST_CASE(
    "A pattern without a package, or with a dot before a nested class, has one that is meant") {
  CHECK(meant_pattern("total") == "did you mean *.total?");
  CHECK(meant_pattern("Cart.total(int)") == "did you mean *.Cart.total(int)?");
  CHECK(meant_pattern("shop.Cart.Row.total") == "did you mean shop.Cart$Row.total?");
  CHECK(meant_pattern("Cart.Row.Cell.total") == "did you mean *.Cart$Row$Cell.total?");
  CHECK(meant_pattern("*.Cart.Row.total") == "did you mean *.Cart$Row.total?");
  CHECK(meant_pattern("shop.Cart.Row") == "did you mean shop.Cart$Row?");
  for (const char* whole : {"shop.Cart.total", "shop.*", "*.Cart.total", "", "*",
                            "shop.Cart.total(a.B.C)", "shop.Cart.a,total"}) {
    INFO(whole);
    CHECK(meant_pattern(whole).empty());
  }
}
