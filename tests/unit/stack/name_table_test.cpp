#include "stack/names/name_table.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "core/class_names.h"

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

TEST_CASE("Classes of a heap dump have the names that Java gives them") {
  CHECK(type_name_in_dump("java/lang/String") == "java.lang.String");
  CHECK(type_name_in_dump("[I") == "int[]");
  CHECK(type_name_in_dump("[[La/B;") == "a.B[][]");
  // Hidden classes have a plus sign there.
  CHECK(type_name_in_dump("a/B$$Lambda$15+0x00007f5d28056148") ==
        "a.B$$Lambda$15/0x00007f5d28056148");
  CHECK(type_name_in_dump("[La/B+0x12;") == "a.B/0x12[]");
  CHECK(type_name_in_dump("a/B+0x12C") == "a.B+0x12C");
  CHECK(type_name_in_dump("a/B+0xyz") == "a.B+0xyz");
  CHECK(type_name_in_dump("") == "");
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
  CHECK(table.size() == 0);
  const NameId a = table.add_class("a.A");
  CHECK(a == 1);
  CHECK(table.add_class("a.B") == 2);
  CHECK(table.add_class("a.A") == a);
  CHECK(table.size() == 2);

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
  CHECK(table.size() == 9);
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
  CHECK(table.size() == 2 * kNames);
  for (const auto& mine : ids) CHECK(mine == ids[0]);
  CHECK(ids[0].size() == 2 * kNames);
}

TEST_CASE("What nobody names any more is dropped, and its id never comes back") {
  NameTable table;
  const NameId a = table.add_class("a.A"), b = table.add_class("a.B");
  const NameId m = table.add_method(method_named("m")), n = table.add_method(method_named("n"));
  CHECK(table.keep_only([&](NamesInUse& used) {
    used.classes = {a, 77};
    used.methods = {n};
    return true;
  }));
  CHECK(table.class_name(a) == "a.A");
  CHECK(table.class_name(b) == "unknown");
  CHECK(table.method(m).method == "unknown");
  CHECK(table.method(n).method == "n");
  CHECK(table.size() == 2);
  CHECK(table.add_class("a.A") == a);
  CHECK(table.add_class("a.B") > b);
  CHECK(table.add_method(method_named("m")) > n);
}

TEST_CASE("Names that are given out while others are dropped stay") {
  NameTable table;
  const NameId old = table.add_class("old"), again = table.add_class("again");
  const NameId method = table.add_method(method_named("again"));
  NameId fresh = kUnknownName;
  CHECK(table.keep_only([&](NamesInUse&) {
    CHECK(table.add_class("again") == again);
    CHECK(table.add_method(method_named("again")) == method);
    fresh = table.add_class("fresh");
    return true;
  }));
  CHECK(table.class_name(old) == "unknown");
  CHECK(table.class_name(again) == "again");
  CHECK(table.class_name(fresh) == "fresh");
  CHECK(table.method(method).method == "again");
  CHECK(table.keep_only([](NamesInUse&) { return true; }));
  CHECK(table.size() == 0);
}

TEST_CASE("Nothing is dropped while somebody reads names, or when it is not known what is used") {
  NameTable table;
  const std::string& name = table.class_name(table.add_class("a.A"));
  {
    const auto held = table.hold(), twice = table.hold();
    CHECK_FALSE(table.keep_only([](NamesInUse&) { return true; }));
    CHECK(name == "a.A");
  }
  CHECK_FALSE(table.keep_only([](NamesInUse&) { return false; }));
  CHECK(name == "a.A");
  CHECK(table.keep_only([](NamesInUse&) { return true; }));
  CHECK(table.size() == 0);
}

TEST_CASE("A table that grows says when it has doubled, once each time") {
  NameTable table;
  int asked = 0;
  table.growth().on_limit([&] { ++asked; });
  std::size_t added = 0;
  const auto grow_to = [&](std::size_t size) {
    while (added < size) table.add_class("c" + std::to_string(added++));
  };
  grow_to(GrowthLimit::kFirst - 1);
  CHECK(asked == 0);
  grow_to(GrowthLimit::kFirst + 10);
  CHECK(asked == 1);
  CHECK(table.keep_only([&](NamesInUse& used) {
    for (NameId id = 1; id <= added; ++id) used.classes.insert(id);
    return true;
  }));
  grow_to(2 * GrowthLimit::kFirst + 19);
  CHECK(asked == 1);
  grow_to(2 * GrowthLimit::kFirst + 20);
  CHECK(asked == 2);
}

TEST_CASE("The internal name of a class comes out of its signature") {
  CHECK(internal_name_of("Ljava/util/List;") == "java/util/List");
  CHECK(internal_name_of("I") == "I");
  CHECK(internal_name_of("").empty());
  CHECK(dotted_name("java/util/List") == "java.util.List");
  CHECK(dotted_name("") == "");
}
