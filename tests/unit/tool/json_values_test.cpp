#include "json_values.h"

#include <catch2/catch.hpp>

namespace ddm {
namespace {

std::string nested(std::size_t depth, const std::string& inside = "") {
  return std::string(depth, '[') + inside + std::string(depth, ']');
}

}  // namespace

TEST_CASE("JSON that nests too deep to be copied and written is not valid") {
  CHECK(json_line(parsed_json(nested(64, "1"))) == nested(64, "1"));
  CHECK(parsed_json(nested(65, "1")).is_discarded());
  CHECK(parsed_json("{\"a\":" + nested(64) + "}").is_discarded());
  CHECK(parsed_json(nested(1'000'000)).is_discarded());
  CHECK(parsed_json(std::string(1'000'000, '{')).is_discarded());
}

TEST_CASE("Brackets in strings, and those of neighbours, are no depth of JSON") {
  const std::string quoted = "[\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\"]";
  CHECK(json_line(parsed_json(quoted)) == quoted);
  CHECK(parsed_json("[\"\\\\\"," + nested(64) + "]").is_discarded());
  std::string flat = "[";
  for (int i = 0; i < 1000; ++i) flat += "{},[],";
  CHECK(parsed_json(flat + "1]").size() == 2001);
  CHECK(parsed_json("]]]" + nested(1)).is_discarded());
}

}  // namespace ddm
