#include "adapters/dyper/documents/variables.h"

#include <catch2/catch.hpp>

namespace ddm {

TEST_CASE("every kind of variable is set and read back in its own form") {
  DyperVariables variables;
  const auto set = [&](std::string_view name, std::string_view value) {
    const auto done = variables.set(name, value);
    return done && *done;
  };
  CHECK(set("CHECKTIME", "20"));
  CHECK(variables.get("CHECKTIME") == "20");
  for (const char* yes : {"true", "TRUE", "T", "1", "yes"}) {
    variables.monitor = false;
    CHECK(set("MONITOR", yes));
    CHECK(variables.get("MONITOR") == "true");
  }
  CHECK(set("MONITOR", "f"));
  CHECK(variables.get("MONITOR") == "false");
  CHECK(set("METHOD_DETAIL_MIN_TOTAL", "100"));
  CHECK(variables.get("METHOD_DETAIL_MIN_TOTAL") == "100.0");
  CHECK(variables.get("CLASS_DETAIL_MIN_TOTAL") == "250.0");
  CHECK(set("DETAIL_ALL", "0"));
  CHECK(variables.get("DETAIL_ALL") == "0");
  CHECK(set("CLASSPATH", "/a:/b"));
  CHECK(variables.get("CLASSPATH") == "/a:/b");
}

TEST_CASE("what does not fit leaves a variable as it is, and the error says what would") {
  DyperVariables variables;
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"CHECKTIME", "soon"},
           {"CHECKTIME", "0"},
           {"CHECKTIME", "-5"},
           {"CHECKTIME", "10x"},
           {"MAXDEPTH", "99999999999999999999"},
           {"MONITOR", "perhaps"},
           {"MONITOR", ""},
           {"DETAIL_ALL", "true"},
           {"CLASS_DETAIL_MINIMUM", "nan"},
           {"ALLOC_MONITOR", "ALL"}}) {
    INFO(name << "=" << value);
    const auto before = variables.get(name);
    const auto done = variables.set(name, value);
    CHECK_FALSE(done);
    CHECK(variables.get(name) == before);
  }
  const auto unknown = variables.set("NOBODY", "1");
  CHECK((unknown && !*unknown));
  CHECK_FALSE(variables.get("NOBODY"));
}

}  // namespace ddm
