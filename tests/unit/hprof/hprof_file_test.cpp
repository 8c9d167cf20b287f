#include "adapters/hprof/hprof_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ddm {
namespace {

struct Place {
  std::string path;
  Place() {
    char name[] = "/tmp/hprof-file-XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    path = name;
  }
  ~Place() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return path + "/" + name; }
};

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("dumps are appended to one file, which is overwritten at first") {
  const Place place;
  std::ofstream(place / "x.txt") << "what was there";
  auto file = HprofFile::open(place / "x.txt", true, 4711);
  REQUIRE(file);
  CHECK_FALSE(file->append("one "));
  CHECK_FALSE(file->append("two "));
  CHECK(content(place / "x.txt") == "one two ");
}

TEST_CASE("a file that must not be overwritten is left alone for one with the process's number") {
  const Place place;
  std::ofstream(place / "x.txt") << "precious";
  auto file = HprofFile::open(place / "x.txt", false, 4711);
  REQUIRE(file);
  CHECK(file->path() == place / "x.txt.4711");
  CHECK_FALSE(file->append("new"));
  CHECK(content(place / "x.txt") == "precious");
  CHECK(content(place / "x.txt.4711") == "new");
  auto fresh = HprofFile::open(place / "y.txt", false, 4711);
  REQUIRE(fresh);
  CHECK(fresh->path() == place / "y.txt");
}

TEST_CASE("a new file that will hold a heap dump is nobody else's") {
  const Place place;
  REQUIRE(HprofFile::open(place / "x", true, 1, /*secret=*/true));
  struct stat facts {};
  REQUIRE(stat((place / "x").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 077) == 0);
}

TEST_CASE("a file that cannot be had is an error with its name") {
  const Place place;
  const auto missing = HprofFile::open(place / "no/x.txt", true, 1);
  REQUIRE_FALSE(missing);
  CHECK(missing.message().find("no/x.txt: No such file") != std::string::npos);
  REQUIRE(mkfifo((place / "pipe").c_str(), 0600) == 0);
  CHECK_FALSE(HprofFile::open(place / "pipe", true, 1));  // nobody reads it: it does not wait
}

}  // namespace ddm
