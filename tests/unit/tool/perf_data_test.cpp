#include "perf_data.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>

using namespace ddm;  // NOLINT: a test of one part

namespace {

void put(std::string& to, std::size_t at, std::uint32_t number) {
  std::memcpy(to.data() + at, &number, sizeof number);
}

std::string entry(const std::string& name, char type, const std::string& value) {
  std::string out(20, '\0');
  put(out, 4, 20);
  put(out, 16, static_cast<std::uint32_t>(21 + name.size()));
  out[12] = type;
  out += name + '\0' + value + '\0';
  put(out, 0, static_cast<std::uint32_t>(out.size()));
  return out;
}

std::string sample() {
  std::string out("\xCA\xFE\xC0\xC0\x01\x02\x00\x01", 8);
  out.resize(32);
  put(out, 24, 32);
  put(out, 28, 3);
  out += entry("a.number", 'J', "12345678");
  out += entry("sun.rt.jvmCapabilities", 'B', "0100");
  out += entry("sun.rt.javaCommand", 'B', "shop.Shop -x");
  return out;
}

}  // namespace

TEST_CASE("Texts are found by name") {
  const std::string file = sample();
  CHECK(perf_text(file, "sun.rt.jvmCapabilities") == "0100");
  CHECK(perf_text(file, "sun.rt.javaCommand") == "shop.Shop -x");
  CHECK_FALSE(perf_text(file, "a.number"));
  CHECK_FALSE(perf_text(file, "no.such"));
}

TEST_CASE("A file that is not complete yet tells nothing") {
  std::string file = sample();
  file[7] = 0;
  CHECK_FALSE(perf_text(file, "sun.rt.javaCommand"));
}

TEST_CASE("A file that is cut or lies is read within its bytes") {
  const std::string file = sample();
  for (std::size_t size = 0; size < file.size(); ++size) {
    perf_text(std::string_view(file).substr(0, size), "no.such");
  }
  for (std::size_t at = 24; at < file.size(); ++at) {
    for (const char value : {'\x00', '\x7f', '\xff'}) {
      std::string wrong = file;
      wrong[at] = value;
      perf_text(wrong, "sun.rt.javaCommand");
    }
  }
}
