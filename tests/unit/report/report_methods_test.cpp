#include <catch2/catch.hpp>
#include <sstream>

#include "report/report_methods.h"

using ddm::MethodTime;

TEST_CASE("timed methods are a table of eighty columns, the most own time first") {
  std::vector<MethodTime> times;
  times.push_back({"shop.Cart", "total", "()J", 12'345, 3, 2'000'000'000, 1'500'000'000, 0});
  times.push_back({"a.very.long.package.name.of.some.company.ClassWithALongName", "<init>", "()V",
                   1, 0, 500'000'000, 500'000'000, 0});
  times.push_back({"x.Y", std::string(100, 'm'), "()V", 7, 0, 1'000, 1'000, 0});
  const std::string table = ddm::method_table(times, 2, 80);
  CHECK(table.find("Timed methods: 3, 12,353 calls, 2,000.001 ms in all threads\n") !=
        std::string::npos);
  CHECK(table.find("  75.0%    1,500.000    2,000.000      12,345  shop.Cart.total\n") !=
        std::string::npos);
  CHECK(table.find(".<init>\n") != std::string::npos);
  CHECK(table.find("and 1 more method\n") != std::string::npos);
  CHECK(table.find("3 calls ended by an exception\n") != std::string::npos);
  for (const std::size_t rows : {1u, 2u, 3u}) {
    std::istringstream lines(ddm::method_table(times, rows, 80));
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  }
  times.push_back({"x.Y", "pay", "(ILjava/util/List;[[J)V", 1, 0, 1, 1, 0});
  times.push_back({"x.Y", "pay", "()V", 1, 0, 1, 1, 0});
  times.push_back({"x.Z", "pay", "()V", 1, 0, 1, 1, 0});
  times.push_back({"x.Y", "copy", "()Lx/Y;", 1, 0, 1, 1, 0});
  times.push_back({"x.Y", "copy", "()Ljava/lang/Object;", 1, 0, 1, 1, 0});
  const std::string overloads = ddm::method_table(times, 20, 1 << 30);
  for (const char* shown : {"  x.Y.pay(int,List,long[][])\n", "  x.Y.pay()\n", "  x.Z.pay\n",
                            "  x.Y.copy()Lx/Y;\n", "  x.Y.copy()Ljava/lang/Object;\n"}) {
    CHECK(overloads.find(shown) != std::string::npos);
  }
  const std::string whole = ddm::method_table(times, 3, 1 << 30);
  CHECK(whole.find("  a.very.long.package.name.of.some.company.ClassWithALongName.<init>\n") !=
        std::string::npos);
  CHECK(whole.find("  x.Y." + std::string(100, 'm') + "\n") != std::string::npos);
  CHECK(ddm::method_table({}, 20, 80).empty());
}
