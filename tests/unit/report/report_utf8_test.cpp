#include <catch2/catch.hpp>
#include <string>

#include "core/jvm_text.h"

using namespace ddm;
using namespace std::string_literals;

TEST_CASE("Plain UTF-8 stays as it is") {
  for (const auto& text :
       {""s, "java.lang.String"s, "caf\xC3\xA9"s, "\xE2\x82\xAC"s, "\xF0\x9F\x98\x80"s,
        "\xED\x9F\xBF\xEE\x80\x80"s, "\xF4\x8F\xBF\xBF"s, "a\0b"s}) {
    CHECK(utf8_of(text) == text);
  }
}

TEST_CASE("Modified UTF-8 becomes UTF-8") {
  CHECK(utf8_of("a\xC0\x80z") == "a\0z"s);
  CHECK(utf8_of("\xED\xA0\xBD\xED\xB8\x80!") == "\xF0\x9F\x98\x80!");  // U+1F600
  CHECK(utf8_of("\xED\xA0\x80\xED\xB0\x80") == "\xF0\x90\x80\x80");    // U+10000
  CHECK(utf8_of("\xED\xAF\xBF\xED\xBF\xBF") == "\xF4\x8F\xBF\xBF");    // U+10FFFF
}

TEST_CASE("Every byte that fits nowhere becomes a replacement character") {
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(utf8_of("a\xFFz") == "a" + bad + "z");
  CHECK(utf8_of("\x80") == bad);
  CHECK(utf8_of("\xC3") == bad);
  CHECK(utf8_of("\xC3(") == bad + "(");
  CHECK(utf8_of("\xE2\x82") == bad + bad);
  CHECK(utf8_of("\xF0\x9F\x98") == bad + bad + bad);
  CHECK(utf8_of("\xC1\xBF") == bad + bad);                      // overlong
  CHECK(utf8_of("\xE0\x80\x80") == bad + bad + bad);            // overlong
  CHECK(utf8_of("\xF0\x80\x80\x80") == bad + bad + bad + bad);  // overlong
  CHECK(utf8_of("\xF4\x90\x80\x80") == bad + bad + bad + bad);  // above U+10FFFF
  CHECK(utf8_of("\xED\xA0\xBDx") == bad + "x");                 // high surrogate alone
  CHECK(utf8_of("\xED\xB8\x80") == bad);                        // low surrogate alone
  CHECK(utf8_of("\xED\xA0\xBD\xED\xA0\xBD\xED\xB8\x80") == bad + "\xF0\x9F\x98\x80");
}

TEST_CASE("Printable text holds nothing that breaks a line") {
  CHECK(printable("a\nb\r\t\x1B[0m\x7F") == "a\\u000ab\\u000d\\u0009\\u001b[0m\\u007f");
  CHECK(printable("\xC0\x80") == "\\u0000");
  CHECK(printable("\xC2\x85\xE2\x80\xA8\xE2\x80\xA9") == "\\u0085\\u2028\\u2029");
  CHECK(printable("caf\xC3\xA9") == "caf\xC3\xA9");
}

TEST_CASE("Printable text turns nothing around and holds no byte that is no character") {
  CHECK(printable("\xE2\x80\xAA\xE2\x80\xAE") == "\\u202a\\u202e");
  CHECK(printable("\xE2\x81\xA6\xE2\x81\xA9") == "\\u2066\\u2069");
  CHECK(printable("\xE2\x80\xAF\xE2\x81\xA5") == "\xE2\x80\xAF\xE2\x81\xA5");  // beside them
  CHECK(printable("\xED\xA0\xBDx\xED\xB8\x80") == "\\ud83dx\\ude00");          // each alone
  CHECK(printable("a\x9B\xC3") == "a\\x9b\\xc3");
  CHECK(printable("\xED\xA0\xBD\xED\xB8\x80") == "\xF0\x9F\x98\x80");
  const std::string once = printable("\x1B[2J\xC2\x9B\xFF\xE2\x80\xAE");
  CHECK(printable(once) == once);
}

TEST_CASE("A text for people keeps its lines and nothing else of what commands a terminal") {
  CHECK(printable_lines("a\nb\r\n\t\x1B]0;x\x07\x7F") ==
        "a\nb\\u000d\n\\u0009\\u001b]0;x\\u0007\\u007f");
  CHECK(printable_lines("caf\xC3\xA9\n\xE2\x80\xA8") == "caf\xC3\xA9\n\\u2028");
}

TEST_CASE("What is escaped is ASCII and comes back") {
  const std::string text = "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80";
  CHECK(escaped(text) == "caf\\u00e9 \\u20ac \\ud83d\\ude00");
  CHECK(unescaped(escaped(text)) == text);
  CHECK(escaped("a\nb\x7F\xFF") == "a b\\u007f\\ufffd");
  for (const char* odd : {"", "\\", "\\u", "\\u00e", "\\u00eg", "\\u0041", "\\u-0e9", "x\\n"}) {
    CHECK(unescaped(odd) == odd);
  }
  CHECK(unescaped("\\ud83d!") == "\xEF\xBF\xBD!");  // half of a pair
}

TEST_CASE("Characters are counted and cut whole") {
  const std::string text = "a\xC3\xA9\xF0\x9F\x98\x80z";
  CHECK(columns_of(text) == 4);
  CHECK(columns_of("") == 0);
  CHECK(text.substr(0, head_bytes(text, 2)) == "a\xC3\xA9");
  CHECK(text.substr(0, head_bytes(text, 3)) == "a\xC3\xA9\xF0\x9F\x98\x80");
  CHECK(head_bytes(text, 0) == 0);
  CHECK(head_bytes(text, 9) == text.size());
  CHECK(text.substr(tail_begin(text, 2)) == "\xF0\x9F\x98\x80z");
  CHECK(tail_begin(text, 0) == text.size());
  CHECK(tail_begin(text, 9) == 0);
}
