// Figures of sites out of lines, the rows of tables, differences, and marks.
#include "site_figures.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>

#include "marks.h"
#include "site_rows.h"

using namespace ddm;  // NOLINT: a test of one part

namespace {

constexpr std::string_view kList =
    R"({"type":"summary","pid":4711,"seen":111,"seen_bytes":1110,"sites":3,"period":1,)"
    R"("process_start":7,"threads":[{"id":1,"name":"main","seen_bytes":1110,"seen":111}]}
{"type":"site","class":"byte[]","count":100,"bytes":1000,"at":{"class":"java.util.Arrays",)"
    R"("method":"copyOf","file":"Arrays.java","line":10},"app":{"class":"shop.Shop",)"
    R"("method":"serve","file":"Shop.java","line":30}}
{"type":"site","class":"byte[]","count":10,"bytes":100,"at":{"class":"java.util.Arrays",)"
    R"("method":"copyOf","file":"Arrays.java","line":10},"app":{"class":"shop.Till",)"
    R"("method":"pay","file":"Till.java","line":-1}}
{"type":"site","class":"int[]","count":1,"bytes":10,"at":null,"app":null}
)";

SiteFigures figures_of(std::string_view text, std::size_t piece = 7) {
  FigureReader reader;
  while (!text.empty() && reader.feed(text.substr(0, piece))) {
    text.remove_prefix(std::min(piece, text.size()));
  }
  auto figures = reader.finish();
  REQUIRE(figures);
  return std::move(*figures);
}

std::string problem_of(std::string_view text) {
  FigureReader reader;
  reader.feed(text);
  const auto figures = reader.finish();
  return figures ? "" : figures.message();
}

}  // namespace

TEST_CASE(
    "A row of retained sizes is from the frame whose objects retain most, not that of most bytes") {
  auto rows = rows_of(figures_of(kList), RowsBy::kSite);
  SiteFigures parts = figures_of(kList);
  parts.sites[0].retained = 1000;
  parts.sites[1].retained = 5000;
  name_retaining_apps(rows, parts);
  CHECK(frame_text(rows[0].app) == "shop.Till.pay(Till.java)");
  CHECK(rows[0].app_retained == 5000);
}

TEST_CASE("Names lose the numbers that the VM and compilers count, and no others") {
  for (const auto& [name, known] : std::initializer_list<std::pair<const char*, const char*>>{
           {"Shop$$Lambda$14/0x00007f01", "Shop$$Lambda"},
           {"Shop$$Lambda/0x00007f01", "Shop$$Lambda"},
           {"jdk.proxy2.$Proxy7", "jdk.proxy.$Proxy"},
           {"shop.$Proxy7.pay", "shop.$Proxy.pay"},
           {"shop.Shop.lambda$serve$3", "shop.Shop.lambda$serve"},
           {"shop.Shop.lambda$0", "shop.Shop.lambda"},  // by Eclipse's compiler
           {"shop.ShopKt.serve$lambda$1$lambda$0",
            "shop.ShopKt.serve$lambda$lambda"},  // by Kotlin's
           {"int[] @ shop.Shop.lambda$serve$3", "int[] @ shop.Shop.lambda$serve"},
           {"shop.Shop$1.run", "shop.Shop$1.run"},
           {"shop.Foo$Proxy2", "shop.Foo$Proxy2"},
           {"shop.Shop.access$000", "shop.Shop.access$000"}}) {
    CHECK(without_number(name) == known);
  }
}

TEST_CASE("A list of sites becomes rows by class, site, app and thread") {
  const SiteFigures figures = figures_of(kList);
  CHECK(figures.covers_whole_run());
  CHECK((figures.bytes() == 1110 && figures.count() == 111));
  const auto classes = rows_of(figures, RowsBy::kClass);
  REQUIRE(classes.size() == 2);
  CHECK((classes[0].what == "byte[]" && classes[0].bytes == 1100 && classes[0].count == 110));
  const auto sites = rows_of(figures, RowsBy::kSite);
  REQUIRE(sites.size() == 2);
  CHECK(frame_text(sites[0].at) == "java.util.Arrays.copyOf(Arrays.java:10)");
  CHECK(frame_text(sites[0].app) == "shop.Shop.serve(Shop.java:30)");
  CHECK((sites[0].bytes == 1100 && sites[0].app_bytes == 1000));
  CHECK(frame_text(sites[1].at) == "(no Java frame)");
  const auto apps = rows_of(figures, RowsBy::kApp);
  REQUIRE(apps.size() == 3);
  CHECK(frame_text(apps[1].app) == "shop.Till.pay(Till.java)");
  const auto threads = rows_of(figures, RowsBy::kThread);
  REQUIRE(threads.size() == 1);
  CHECK((threads[0].what == "1 main" && threads[0].count == 111));
}

TEST_CASE("Sites with stacks are named by them, and records are not read") {
  const SiteFigures figures = figures_of(
      R"({"type":"summary","sites":1}
{"type":"site","class":"a.B","count":2,"bytes":32,"stack":[{"class":"java.lang.X","method":"m"},)"
      R"({"class":"a.C","method":"n","file":"C.java","line":3},{"class":"a.D","method":"main"}]}
{"type":"record", no JSON
{"type":"record", no JSON
)");
  REQUIRE(figures.sites.size() == 1);
  CHECK(figures.sites[0].at.class_name == "java.lang.X");
  CHECK(frame_text(figures.sites[0].app) == "a.C.n(C.java:3)");
}

TEST_CASE("What a report below a method has left out, since its place is not known, is told") {
  const SiteFigures figures =
      figures_of(R"({"type":"summary","sites":1,"below":"serve","below_unknown_bytes":64})"
                 "\n");
  CHECK(figures.cut_bytes == 64);
  CHECK(nothing_below_text("it", "serve", 0).ends_with(" or serve"));
  CHECK(
      nothing_below_text("it", "serve", 64).ends_with("or serve; " + cut_below_text(64, "serve")));
}

TEST_CASE("The records of a report become rows by class, site, app and thread") {
  const std::string_view report =
      R"({"type":"summary","sites":1,"recorded":3,"interval":1024}
{"type":"site", no JSON
{"type":"monitor","kind":"enter"}
{"type":"record","class":"a.B","size":16,"weight":2.4,"thread":{"id":1,"name":"main"},)"
      R"("stack":[{"class":"java.lang.X","method":"m"},{"class":"a.C","method":"n","file":"C.java",)"
      R"("line":3}]}
{"type":"record","class":"a.B","size":16,"weight":2.4,"thread":{"id":1,"name":"main"},)"
      R"("stack":[{"class":"java.lang.X","method":"m"},{"class":"a.C","method":"n","file":"C.java",)"
      R"("line":3}]}
{"type":"record","class":"int[]","size":24,"thread":{"id":0,"name":""},"stack":[]}
)";
  const auto read = [](std::string_view text, std::size_t piece) {
    FigureReader reader(FigureReader::Objects::kRecorded);
    while (!text.empty() && reader.feed(text.substr(0, piece))) {
      text.remove_prefix(std::min(piece, text.size()));
    }
    return reader.finish();
  };
  for (const std::size_t piece : {1, 7, 10000}) {
    const auto figures = read(report, piece);
    REQUIRE(figures);
    // 2 * 2.4 objects are 5, of 77 bytes: the sum is rounded, not each record.
    const auto sites = rows_of(*figures, RowsBy::kSite);
    REQUIRE(sites.size() == 2);
    CHECK((sites[0].what == "a.B" && sites[0].bytes == 77 && sites[0].count == 5));
    CHECK(frame_text(sites[0].at) == "java.lang.X.m(Unknown Source)");
    CHECK(frame_text(rows_of(*figures, RowsBy::kApp)[0].app) == "a.C.n(C.java:3)");
    CHECK(frame_text(sites[1].at) == "(no Java frame)");
    const auto threads = rows_of(*figures, RowsBy::kThread);
    REQUIRE(threads.size() == 2);
    CHECK((threads[0].what == "1 main" && threads[0].count == 5 && threads[1].bytes == 24));
  }
  const auto why = [&](std::string_view text) { return std::string(read(text, 100).message()); };
  const std::string whole(report);
  CHECK(why(whole.substr(0, whole.rfind("{"))) ==
        "it has a line that is no JSON object with a type");
  CHECK(why(whole.substr(0, whole.find("{\"type\":\"record\",\"class\":\"int[]"))) ==
        "it has 2 of its 3 records");
  CHECK(why(whole + whole) == "a second report begins in it");
  CHECK(why(whole.substr(whole.find("{\"type\":\"record"))) == "its first line is no summary");
  CHECK(why("") == "it is empty");
  CHECK(why("\xff") == "its first line is no summary");
  CHECK(read_recent_file("/no/such/file.sites.jsonl").message().find("without single records") !=
        std::string::npos);
}

TEST_CASE("What is no report is refused with a reason") {
  CHECK(problem_of("") == "it is empty");
  CHECK(problem_of("<html>\n") == "its first line is no summary");
  CHECK(problem_of("{\"type\":\"summary\"}\n{\"type\":\"si") ==
        "it has a line that is no JSON object with a type");
  CHECK(read_figures_file("/no/such/file").message().find("/no/such/file") != std::string::npos);
}

TEST_CASE("A report that tells how many lines its sites are must have them, and be the only one") {
  const std::string whole(kList), one = "{\"type\":\"site\",\"class\":\"a.B\",\"count\":0}\n";
  const auto with_lines = [&](int lines) {
    return std::string(whole).insert(whole.find(",\"pid\""),
                                     ",\"site_lines\":" + std::to_string(lines));
  };
  CHECK(problem_of(with_lines(3)) == "");
  CHECK(problem_of(with_lines(4)) == "it is cut: it has 3 of its 4 lines of sites");
  CHECK(problem_of(with_lines(3) + one) == "it is damaged: it has 4 of its 3 lines of sites");
  // Lists of sums and estimates, too, whose sums tell nothing.
  CHECK(problem_of(whole.substr(0, whole.find("{\"type\":\"site\",\"class\":\"int"))) == "");
  const std::string records = "{\"type\":\"record\",\"seq\":1}\n";
  CHECK(problem_of(with_lines(3) + records) == "");
  for (const std::string& first : {whole, with_lines(3), with_lines(3) + records}) {
    CHECK(problem_of(first + with_lines(3)) == "a second report begins in it");
  }
}

TEST_CASE("A difference has both signs, growth first, and leaves out what is the same") {
  const SiteFigures before = figures_of(kList);
  SiteFigures after = before;
  after.sites[0].bytes = 400;
  after.sites[1].bytes = 150;
  after.sites[1].count = 15;
  const auto apps = rows_between(before, after, RowsBy::kApp);
  REQUIRE(apps.size() == 2);
  CHECK((apps[0].bytes == 50 && apps[0].count == 5 && apps[0].bytes_before == 100));
  CHECK((apps[1].bytes == -600 && apps[1].count == 0 && apps[1].bytes_before == 1000));
  const Json json = rows_json(rows_between(before, after, RowsBy::kSite), RowsBy::kSite, true);
  REQUIRE(json.size() == 1);
  CHECK((json[0]["bytes"] == -550 && json[0]["bytes_after"] == 550));
  CHECK(rows_between(before, before, RowsBy::kClass).empty());
}

TEST_CASE("A mark is found by its name, as long as it is of the same program and tracking") {
  char directory[] = "/tmp/ddm-marks-XXXXXX";
  REQUIRE(mkdtemp(directory) != nullptr);
  REQUIRE(setenv("XDG_RUNTIME_DIR", directory, 1) == 0);
  SiteFigures now = figures_of(kList);
  CHECK(find_mark("a", now).message().find("none at all") != std::string::npos);
  REQUIRE(!set_mark("a", now, "a page"));
  const auto then = find_mark("a", now);
  REQUIRE(then);
  CHECK(rows_between(*then, now, RowsBy::kApp).empty());
  CHECK(then->sites.size() == now.sites.size());

  const std::string path = std::string(directory) + "/ddm/marks/4711-a.jsonl";
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);

  CHECK(find_mark("b", now).message().find("it has these: a") != std::string::npos);
  now.summary["period"] = 2;
  CHECK(find_mark("a", now).message().find("switched off and on") != std::string::npos);
  now.summary["process_start"] = 8;
  CHECK(find_mark("a", now).message().find("started since") != std::string::npos);

  // No process of this pid namespace: its program may be in a container.
  constexpr NativeMoment kElsewhere{.pid = 4'000'000, .process_start = 7, .period = 1};
  REQUIRE(!set_native_mark("a", kElsewhere, {}));
  REQUIRE(!set_native_mark("b", {.pid = 4'000'001}, {}));
  CHECK(find_native_mark("a", kElsewhere));
  std::filesystem::last_write_time(
      std::string(directory) + "/ddm/marks/4000000-a.nhgt",
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(8 * 24));
  REQUIRE(!set_native_mark("b", {.pid = 4'000'001}, {}));
  CHECK_FALSE(find_native_mark("a", kElsewhere));

  CHECK(marks_fault("before.the-run_1", "").empty());
  for (const std::string& bad : {std::string("a/b"), std::string(65, 'x')}) {
    CHECK_FALSE(marks_fault(bad, "").empty());
    CHECK_FALSE(marks_fault("", bad).empty());
  }
  std::filesystem::remove_all(directory);
  unsetenv("XDG_RUNTIME_DIR");
}
