#include "records/name_table.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

using namespace ddm;

namespace {

MethodName method_named(std::string name) {
  return {"a.B", std::move(name), "()V", "B.java", false, {{0, 1}}};
}

}  // namespace

TEST_CASE("A bytecode index belongs to the last line that begins at or below it") {
  MethodName method = method_named("m");
  method.lines = {{2, 10}, {8, 12}, {8, 13}, {20, 11}};
  CHECK(line_of(method, 0) == kLineUnknown);
  CHECK(line_of(method, 2) == 10);
  CHECK(line_of(method, 7) == 10);
  CHECK(line_of(method, 8) == 12);  // two entries at one bci: HotSpot takes the first
  CHECK(line_of(method, 9) == 13);
  CHECK(line_of(method, 65535) == 11);
  CHECK(line_of(method, 70000) == 11);
}

TEST_CASE("Native methods, methods without a table and frames without a bci have no line") {
  MethodName method = method_named("m");
  CHECK(line_of(method, kNativeFrameBci) == kLineUnknown);
  method.lines.clear();
  CHECK(line_of(method, 3) == kLineUnknown);
  method.native = true;
  CHECK(line_of(method, kNativeFrameBci) == kLineNative);
  CHECK(line_of(method, 3) == kLineNative);
}

TEST_CASE("Signatures become the names that Class.getTypeName gives") {
  CHECK(type_name_of("Ljava/lang/String;") == "java.lang.String");
  CHECK(type_name_of("La/B$C;") == "a.B$C");
  CHECK(type_name_of("[[La/B;") == "a.B[][]");
  CHECK(type_name_of("I") == "int");
  CHECK(type_name_of("V") == "void");
  const std::string primitives = "ZBCSIJFD";
  const std::vector<std::string> names = {"boolean", "byte", "char",  "short",
                                          "int",     "long", "float", "double"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(type_name_of("[" + primitives.substr(i, 1)) == names[i] + "[]");
  }
  CHECK(type_name_of(std::string(255, '[') + "I").size() == 3 + 2 * 255);
}

TEST_CASE("Hidden classes keep their slash") {
  CHECK(type_name_of("La/B$$Lambda.0x00007f0001;") == "a.B$$Lambda/0x00007f0001");
  CHECK(type_name_of("[La/B.0x12;") == "a.B/0x12[]");
}

TEST_CASE("What is not a signature comes back unchanged") {
  for (const std::string text :
       {"", "[", "[[", "L;", "Lx", "La;b;", "java.lang.String", "X", "[V", "II", "La/B;x"}) {
    CHECK(type_name_of(text) == text);
  }
  const std::string deep = std::string(256, '[') + "I";
  CHECK(type_name_of(deep) == deep);
}

TEST_CASE("Equal names share an id, different names do not") {
  NameTable table;
  CHECK(table.class_count() == 0);
  CHECK(table.method_count() == 0);
  const NameId a = table.add_class("a.A");
  CHECK(a == 1);
  CHECK(table.add_class("a.B") == 2);
  CHECK(table.add_class("a.A") == a);
  CHECK(table.class_count() == 2);

  const NameId m = table.add_method(method_named("m"));
  CHECK(m == 1);
  CHECK(table.add_method(method_named("m")) == m);
  std::vector<MethodName> variants(6, method_named("m"));
  variants[0].class_name = "a.C";
  variants[1].signature = "(I)V";
  variants[2].file = "";
  variants[3].native = true;
  variants[4].lines = {{0, 2}};
  variants[5].lines = {};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    CHECK(table.add_method(variants[i]) == 2 + i);
    CHECK(table.method(static_cast<NameId>(2 + i)) == variants[i]);
  }
  CHECK(table.method_count() == 7);
}

TEST_CASE("Ids that were never given out are unknown") {
  NameTable table;
  CHECK(table.class_name(kUnknownName) == "unknown");
  CHECK(table.class_name(1) == "unknown");
  CHECK(table.class_name(0xFFFFFFFFu) == "unknown");
  CHECK(table.method(kUnknownName).class_name == "unknown");
  CHECK(table.method(7).method == "unknown");
  CHECK(table.add_class("unknown") != kUnknownName);
}

TEST_CASE("References stay valid while the table grows") {
  NameTable table;
  const std::string& first = table.class_name(table.add_class("first"));
  const MethodName& method = table.method(table.add_method(method_named("first")));
  for (int i = 0; i < 10000; ++i) {
    table.add_class("c" + std::to_string(i));
    table.add_method(method_named("m" + std::to_string(i)));
  }
  CHECK(first == "first");
  CHECK(method.method == "first");
  CHECK(&first == &table.class_name(table.add_class("first")));
}

TEST_CASE("Threads that add the same names at once agree on their ids") {
  constexpr int kThreads = 4, kNames = 2000;
  NameTable table;
  std::vector<std::vector<NameId>> ids(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&table, &mine = ids[static_cast<std::size_t>(t)]] {
      for (int i = 0; i < kNames; ++i) {
        const std::string name = "n" + std::to_string(i);
        mine.push_back(table.add_class(name));
        mine.push_back(table.add_method(method_named(name)));
        if (table.class_name(mine[mine.size() - 2]) != name) mine.push_back(kUnknownName);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(table.class_count() == kNames);
  CHECK(table.method_count() == kNames);
  for (const auto& mine : ids) CHECK(mine == ids[0]);
  CHECK(ids[0].size() == 2 * kNames);
}
