#include "bci/glob.h"

#include <catch2/catch.hpp>
#include <string>

using bci::matches_glob;

TEST_CASE("An asterisk matches any characters and nothing else is special") {
  CHECK(matches_glob("shop.Cart", "shop.Cart"));
  CHECK_FALSE(matches_glob("shop.Cart", "shop.Carts"));
  CHECK_FALSE(matches_glob("shop.Carts", "shop.Cart"));
  CHECK_FALSE(matches_glob("shop?Cart", "shop.Cart"));
  CHECK(matches_glob("*", ""));
  CHECK(matches_glob("", ""));
  CHECK_FALSE(matches_glob("", "x"));
  CHECK(matches_glob("shop.*", "shop."));
  CHECK(matches_glob("*.Cart.*total", "a.b.Cart.subtotal"));
  CHECK_FALSE(matches_glob("*.Cart.*total", "a.b.Cart.totals"));
  CHECK(matches_glob("*ab*ab**", "xabyabab"));
  CHECK_FALSE(matches_glob("*ab*ab*ab", "xabyab"));
}

TEST_CASE("A pattern of many asterisks ends on a long text") {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  CHECK_FALSE(matches_glob(pattern + "b", std::string(20'000, 'a')));
}
