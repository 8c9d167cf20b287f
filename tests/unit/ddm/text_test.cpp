#include <catch2/catch.hpp>

#include "core/utf16.h"

using ddm::to_utf16;
using ddm::to_utf8;

TEST_CASE("UTF-8 text becomes UTF-16 and comes back unchanged") {
  const std::string text = "main \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80";
  CHECK(to_utf16(text) == u"main \u00e4 \u20ac \U0001F600");
  CHECK(to_utf8(to_utf16(text)) == text);
  CHECK(to_utf16("").empty());
  CHECK(to_utf8(u"").empty());
}

TEST_CASE("The VM's modified UTF-8 is understood") {
  using namespace std::string_literals;
  CHECK(to_utf16("a\xc0\x80"s + "b") == u"a\0b"s);
  CHECK(to_utf16("\xed\xa0\xbd\xed\xb8\x80") == u"\U0001F600");  // two surrogates of three bytes
}

TEST_CASE("What is no UTF-8 becomes one replacement character for each bad byte") {
  CHECK(to_utf16("a\xff\xfe"
                 "b") == u"a\ufffd\ufffdb");
  CHECK(to_utf16("\xc3") == u"\ufffd");             // cut off
  CHECK(to_utf16("\xc1\xbf") == u"\ufffd\ufffd");   // overlong
  CHECK(to_utf16("\xf5\x80\x80\x80").size() == 4);  // above U+10FFFF
  CHECK(to_utf16("\xe2\x82") == u"\ufffd\ufffd");
}

TEST_CASE("A surrogate without its other half never makes invalid UTF-8") {
  CHECK(to_utf8(std::u16string{u'a', char16_t{0xd800}, u'b'}) ==
        "a\xef\xbf\xbd"
        "b");
  CHECK(to_utf8(std::u16string{char16_t{0xdc00}}) == "\xef\xbf\xbd");
  CHECK(to_utf8(std::u16string{char16_t{0xd83d}}) == "\xef\xbf\xbd");
}
