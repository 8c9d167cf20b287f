#include "report/report_words.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace ddm;

namespace {

PrintableMethod printable_method(const std::string& type, const std::string& method) {
  return {nullptr, type, method, "", type + "." + method};
}

}  // namespace

TEST_CASE("Numbers are grouped by thousands") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(-123456) == "-123,456");
  CHECK(grouped(1234567890) == "1,234,567,890");
  CHECK(grouped(std::numeric_limits<std::int64_t>::min()) == "-9,223,372,036,854,775,808");
}

TEST_CASE("A noun stands in the plural beside every number but one") {
  CHECK(counted(0, "stack") == "0 stacks");
  CHECK(counted(1, "stack") == "1 stack");
  CHECK(counted(1200, "stack") == "1,200 stacks");
}

TEST_CASE("Bytes are given in the unit a person would take") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1024) == "1.0 KiB");
  CHECK(human_bytes(-2048) == "-2.0 KiB");
  CHECK(human_bytes(1024 * 1024 - 1) == "1.0 MiB");
  CHECK(human_bytes(47'812'345) == "45.6 MiB");
  CHECK(human_bytes(std::numeric_limits<std::int64_t>::max()) == "8.0 EiB");
}

TEST_CASE("Durations and times read like a clock") {
  CHECK(human_duration(850) == "850 ms");
  CHECK(human_duration(12'345) == "12.3 s");
  CHECK(human_duration(59'999) == "59.9 s");
  CHECK(human_duration(192'000) == "3 min 12 s");
  CHECK(human_duration(7'500'000) == "2 h 5 min");
  CHECK(human_duration(100 * 3'600'000LL) == "4 d 4 h");
  CHECK(utc_seconds(0) == "1970-01-01 00:00:00");
  CHECK(utc_millis(1'714'564'800'123) == "2024-05-01 12:00:00.123");
  CHECK(utc_millis(-1) == "1969-12-31 23:59:59.999");
  CHECK(utc_millis(std::numeric_limits<std::int64_t>::max()) == "292278994-08-17 07:12:55.807");
}

TEST_CASE("A share of nothing is nothing") {
  CHECK(share_of(1, 3) == "33.3%");
  CHECK(share_of(5, 0) == "0.0%");
}

TEST_CASE("Long text loses its middle") {
  CHECK(shortened("abcdefghij", 10) == "abcdefghij");
  CHECK(shortened("abcdefghijk", 10) == "abc...hijk");
  CHECK(shortened("abcdefghijk", 2) == "ab");
  CHECK(shortened("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 5) == "\xC3\xA9...\xC3\xA9");
}

TEST_CASE("Type names shrink their packages first") {
  CHECK(shortened_type("org.example.web.Page[]", 30) == "org.example.web.Page[]");
  CHECK(shortened_type("org.example.web.Page[]", 20) == "o.example.web.Page[]");
  CHECK(shortened_type("org.example.web.Page[]", 12) == "o.e.w.Page[]");
  CHECK(shortened_type("org.example.web.Page[]", 9) == "o.e...e[]");
  CHECK(shortened_type("java.lang.Class for org.example.Page", 29) ==
        "j.l.Class for o.example.Page");
}

TEST_CASE("A frame keeps its method, its file and its line whatever the width") {
  const PrintableMethod method = printable_method("org.example.web.PageBuilderFactory", "build");
  const auto at = [&](std::size_t width) {
    return shortened_frame(method, "PageBuilderFactory.java:12", width);
  };
  CHECK(at(80) == "org.example.web.PageBuilderFactory.build(PageBuilderFactory.java:12)");
  CHECK(at(66) == "o.example.web.PageBuilderFactory.build(PageBuilderFactory.java:12)");
  CHECK(at(58) == "o.e.w.PageBuilderFactory.build(PageBuilderFactory.java:12)");
  CHECK(at(50) == "org.example.web.PageBuilderFactory.build(:12)");
  CHECK(at(36) == "o.e.w.PageBuilderFactory.build(:12)");
  CHECK(at(28) == "o.e.w.P...Factory.build(:12)");
  CHECK(at(1) == "o.e....ctory.build(:12)");
  const auto elsewhere = [&](std::size_t width) {
    return shortened_frame(method, "AllOfOurBuilders.kt:12", width);
  };
  CHECK(elsewhere(49) == "o.e.w.Pa...rFactory.build(AllOfOurBuilders.kt:12)");
  CHECK(elsewhere(1) == "o.e....ctory.build(AllO...rs.kt:12)");
  CHECK(shortened_frame(method, "Native Method", 1) == "o.e....ctory.build(Native Method)");
}
