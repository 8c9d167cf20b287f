#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "gate/baseline.h"
#include "gate/findings.h"
#include "gate/measured.h"
#include "gate/pprof_sites.h"
#include "report/protobuf_writer.h"
#include "serve/pprof_profile.h"
#include "site_figures.h"
#include "stack/names/first_use.h"

namespace ddm {
namespace {

Baseline baseline_of(std::string_view text) {
  const auto baseline = Baseline::parse(text);
  REQUIRE(baseline);
  return *baseline;
}

}  // namespace

TEST_CASE("a baseline is read, written and sorted, with its comments and sections") {
  const auto baseline =
      baseline_of("# ours\n# jdk 17\np.T.b\t2\t48\np.T.a\t1\t24\n\n[jdk 21]\np.T.b\t3\t72\n");
  CHECK(baseline.jdk() == 17);
  CHECK(baseline.of(17) == Amounts{{"p.T.a", {1, 24}}, {"p.T.b", {2, 48}}});
  CHECK(baseline.of(21) == Amounts{{"p.T.a", {1, 24}}, {"p.T.b", {3, 72}}});
  CHECK(baseline.text() ==
        "# ours\n# jdk 17\np.T.a\t1\t24\np.T.b\t2\t48\n[jdk 21]\np.T.b\t3\t72\n");
  // Some editors begin a file with the mark of its byte order.
  CHECK(baseline_of("\xEF\xBB\xBF# jdk 17\np.T.a\t1\t24\n").text() == "# jdk 17\np.T.a\t1\t24\n");
}

TEST_CASE("what is no line of a baseline is named by its number") {
  for (const char* wrong : {"p.T.a 1 24", "p.T.a\t1", "p.T.a\t-1\t24", "\t1\t2", "p.T.a\tx\t24"}) {
    const auto baseline = Baseline::parse(std::string("# x\n") + wrong);
    REQUIRE_FALSE(baseline);
    CHECK(baseline.message().starts_with("line 2: "));
  }
  CHECK_FALSE(Baseline::parse("[jdk x]"));
  const auto merged = Baseline::parse("p.T.a\t1\t24\np.T.a\t2\t48\n");
  REQUIRE_FALSE(merged);
  CHECK(merged.message() == "line 2: p.T.a is there twice");
}

TEST_CASE("a baseline of nothing says so, and what was cut or never written says nothing") {
  for (const int jdk : {17, 0}) {
    Baseline of_nothing;
    of_nothing.update(jdk, {});
    CHECK(of_nothing.text() == (jdk != 0 ? "# jdk 17\n" : "# jdk unknown\n"));
    CHECK_FALSE(baseline_of(of_nothing.text()).says_nothing());
    CHECK_FALSE(baseline_of(of_nothing.text()).has_entries());
  }
  CHECK_FALSE(baseline_of("# below shop.Main.work\n").says_nothing());
  for (const char* blank : {"", "\n\n", "# ours\n", "[jdk 21]\n"}) {
    CHECK(baseline_of(blank).says_nothing());
  }
}

TEST_CASE("a baseline of sites is told from one of tests by its entries") {
  CHECK(baseline_of("byte[] @ shop.Main.work\t1\t24\n").by_site());
  CHECK(baseline_of("# below shop.Main.work\n").by_site());
  CHECK_FALSE(baseline_of("p.T.a\t1\t24\n").by_site());
  CHECK_FALSE(baseline_of("p.T.a @ b\t1\t24\np.T.c\t1\t24\n").by_site());  // in Kotlin
  for (const char* test : {"p.T.a[x @ b.c]", "p.T.a(int[])[v: w @ b.c]", "p.T.a @ b"}) {
    CHECK(site_at(test) == std::string_view::npos);
    CHECK_FALSE(baseline_of(std::string(test) + "\t1\t24\n").by_site());
    // A test of another version may allocate nothing.
    Baseline baseline;
    baseline.update(17, {{test, {1, 24}}});
    baseline.update(21, {{test, {0, 0}}});
    CHECK(baseline_of(baseline.text()).of(21) == Amounts{{test, {0, 0}}});
  }
  for (const char* site : {"int[][] @ shop.Main.work", "shop.Cart @ (no Java frame)",
                           "p.T.a[x @ b]: int[] @ shop.Main.work", "int[] @ p.T.a @ b"}) {
    CHECK(site_at(site) != std::string_view::npos);
  }
}

TEST_CASE("lambdas that an older baseline has by number are compared by the methods they are in") {
  const auto baseline = baseline_of(
      "# jdk 17\nint[] @ shop.Main.lambda$work$0\t1\t16\nint[] @ shop.Main.lambda$work$1\t2\t32\n"
      "jdk.proxy2.$Proxy7 @ shop.Main.work\t1\t16\n"
      "[jdk 21]\nint[] @ shop.Main.lambda$work$1\t5\t80\n"
      "[jdk 25]\nint[] @ shop.Main.lambda$work$0\t0\t0\n");
  const auto amounts_of = [](std::int64_t objects, std::int64_t bytes) {
    return Amounts{{"int[] @ shop.Main.lambda$work", {objects, bytes}},
                   {"jdk.proxy.$Proxy @ shop.Main.work", {1, 16}}};
  };
  for (const Baseline& now : {baseline, baseline_of(baseline.text())}) {
    CHECK(now.of(17) == amounts_of(3, 48));
    CHECK(now.of(21) == amounts_of(6, 96));
    CHECK(now.of(25) == amounts_of(2, 32));
  }
  CHECK(baseline_of("p.T.lambda$work$0\t1\t16\n").of(17) ==
        Amounts{{"p.T.lambda$work$0", {1, 16}}});
}

TEST_CASE("another version gets a section for what it does otherwise, and for nothing else") {
  Baseline baseline;
  baseline.update(17, {{"a", {1, 10}}, {"b", {2, 20}}});
  baseline.update(21, {{"a", {1, 10}}, {"b", {3, 30}}, {"c", {1, 1}}});
  CHECK(baseline.text() == "# jdk 17\na\t1\t10\nb\t2\t20\n[jdk 21]\nb\t3\t30\nc\t1\t1\n");
  baseline.update(21, {{"a", {1, 10}}, {"b", {2, 20}}});
  CHECK(baseline.text() == "# jdk 17\na\t1\t10\nb\t2\t20\n");
  baseline.update(17, {{"b", {1, 10}}});
  CHECK(baseline.text() == "# jdk 17\nb\t1\t10\n");
}

TEST_CASE("a site that a version lacks is new when that version has it again") {
  const Amounts head{{"int[] @ shop.Main.a", {1, 16}}, {"int[] @ shop.Main.b", {2, 32}}};
  const Amounts other{{"int[] @ shop.Main.a", {1, 16}}};
  Baseline baseline;
  baseline.update(17, head);
  baseline.update(21, other);
  CHECK(baseline.of(21) == other);
  CHECK(baseline_of(baseline.text()).of(21) == other);
  CHECK(baseline_of(baseline.text()).of(17) == head);
}

TEST_CASE("what is more than the tolerance allows has grown") {
  const Amounts before{{"a", {10, 100}}, {"b", {10, 100}}, {"gone", {1, 1}}, {"high", {9, 900}}};
  const Amounts now{{"a", {11, 100}}, {"b", {10, 100}}, {"fresh", {1, 8}}, {"high", {1, 100}}};
  const auto exact = compare(before, now, *Tolerance::parse("0"));
  REQUIRE(exact.grown.size() == 1);
  CHECK(exact.grown[0].name == "a");
  REQUIRE(exact.added.size() == 1);
  REQUIRE(exact.removed.size() == 1);
  REQUIRE(exact.shrunk.size() == 1);
  CHECK(is_far_too_high(exact.shrunk[0]));
  CHECK(exact.same == 1);
  CHECK(compare(before, now, *Tolerance::parse("10%")).grown.empty());
  CHECK(compare(before, now, *Tolerance::parse("10.5%")).grown.empty());
  CHECK(compare(before, now, *Tolerance::parse("9.9%")).grown.size() == 1);
  CHECK(compare(before, now, *Tolerance::parse("9%")).grown.size() == 1);
  CHECK(compare(before, now, *Tolerance::parse("1k")).grown.empty());
  for (const char* wrong : {"", "%", "-1", "x", "5%%", "1g", "nan%", "inf%"})
    CHECK_FALSE(Tolerance::parse(wrong));
}

TEST_CASE(
    "first uses are class initialisers, loading and linkage, and nothing that looks like them") {
  CHECK(is_first_use("shop.Shop", "<clinit>"));
  CHECK(is_first_use("java.lang.ClassLoader", "loadClass"));
  CHECK(is_first_use("jdk.internal.loader.BuiltinClassLoader", "findClassOnClassPathOrNull"));
  CHECK(is_first_use("java.lang.invoke.MethodHandleNatives", "linkCallSite"));
  CHECK_FALSE(is_first_use("shop.ClassLoader", "loadClass"));
  CHECK_FALSE(is_first_use("shop.Shop", "<init>"));
  CHECK_FALSE(is_first_use("java.lang.ClassLoader", "getResource"));
  CHECK_FALSE(is_first_use("java.lang.StringConcatHelper", "newString"));
}

TEST_CASE("what fills a cache of the JDK is a first use, and what asks it is not") {
  CHECK(is_first_use("sun.util.locale.provider.LocaleProviderAdapter", "getAdapter"));
  CHECK_FALSE(is_first_use("sun.util.locale.provider.NumberFormatProviderImpl", "getInstance"));
  CHECK(is_first_use("java.util.ResourceBundle", "findBundle"));
  CHECK_FALSE(is_first_use("java.util.ResourceBundle", "getBundleImpl"));
  CHECK(is_first_use("sun.security.jca.ProviderConfig", "getProvider"));
  CHECK_FALSE(is_first_use("sun.security.jca.GetInstance", "getInstance"));
  CHECK(is_first_use("java.net.URL", "getURLStreamHandler"));
  CHECK_FALSE(is_first_use("java.net.URL", "<init>"));
}

TEST_CASE("what the JDK makes where threads meet is told from what a program asks for") {
  constexpr const char* kPool = "java.util.concurrent.ThreadPoolExecutor";
  CHECK(waiting_of("java.lang.VirtualThread", "getTermination") ==
        ByTiming::kInwards);  // of join()
  CHECK(waiting_of(kPool, "tryTerminate") == ByTiming::kInwards);
  CHECK(waiting_of(kPool, "getTask") == ByTiming::kInwards);
  CHECK(waiting_of(kPool, "execute") == ByTiming::kNo);
  CHECK(waiting_of("java.util.concurrent.ForkJoinTask", "awaitDone") == ByTiming::kHere);
  CHECK(waiting_of("java.util.concurrent.ForkJoinTask", "doExec") == ByTiming::kOver);
}

TEST_CASE("the sites of a test that have grown come first, by class and method") {
  const auto site = [](const char* class_name, const char* method, int line, std::int64_t objects,
                       std::int64_t bytes) {
    Json stack = Json::array();
    stack.push_back(
        {{"class", "shop.Helper"}, {"method", method}, {"file", "Helper.java"}, {"line", line}});
    return MeasuredSite{class_name, {objects, bytes}, stack};
  };
  Measured before, now;
  before.sites["p.T.slow"] = {site("byte[]", "pad", 5, 1000, 24000),
                              site("int[]", "fill", 9, 100, 1600)};
  const Amounts kept = sites_of_tests(before);
  CHECK(kept == Amounts{{"p.T.slow: byte[] @ shop.Helper.pad", {1000, 24000}},
                        {"p.T.slow: int[] @ shop.Helper.fill", {100, 1600}}});
  // The lines have moved, and one array more is made in fill().
  now.sites["p.T.slow"] = {site("byte[]", "pad", 7, 1000, 24000),
                           site("int[]", "fill", 11, 100, 1600), site("int[]", "fill", 12, 1, 16)};
  sort_sites_by_growth(now, kept);
  CHECK(now.sites["p.T.slow"][0].class_name == "int[]");
  CHECK(now.sites["p.T.slow"][2].class_name == "byte[]");
}

TEST_CASE("what has only moved to another stack comes after what a test makes more of") {
  const auto site = [](const char* class_name, const char* method, std::int64_t objects) {
    const Json frame = {{"class", "shop.Helper"}, {"method", method}};
    return MeasuredSite{class_name, {objects, 24 * objects}, Json::array({frame})};
  };
  Measured before, now;
  before.sites["p.T.slow"] = {site("byte[]", "worker", 900), site("byte[]", "caller", 100)};
  now.sites["p.T.slow"] = {site("byte[]", "caller", 600), site("byte[]", "worker", 400),
                           site("int[]", "fill", 1)};
  sort_sites_by_growth(now, sites_of_tests(before));
  CHECK(now.sites["p.T.slow"][0].class_name == "int[]");
  CHECK(now.sites["p.T.slow"][2].amount.objects == 400);
}

TEST_CASE(
    "of a stack whose outer frames are cut it may not be known whether it is below a method") {
  std::string folder = std::filesystem::temp_directory_path() / "ddm-gate-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const std::string path = folder + "/run.sites.jsonl";
  const auto measured = [&](const std::string& summary, const char* below) {
    const auto line = [](const char* method, int bytes, const char* end) {
      return fmt::format(R"({{"type":"site","class":"int[]","count":1,"bytes":{},"stack":[)"
                         R"({{"class":"shop.Shop","method":"{}"}}]{}}})",
                         bytes, method, end) +
             "\n";
    };
    std::ofstream(path) << R"({"type":"summary","sites":4,"site_lines":4,"engine":"bci")" << summary
                        << "}\n"
                        << line("work", 16, "") << line("work", 32, R"(,"truncated":true)")
                        << line("recur", 64, R"(,"truncated":true)")
                        << line("<clinit>", 128, R"(,"truncated":true)");
    const auto read = read_measured(path, below);
    REQUIRE(read);
    return *read;
  };
  CHECK(measured("", "Shop.work").cut_bytes == 64);
  CHECK(measured("", "Shop.work").amounts == Amounts{{"int[] @ shop.Shop.work", {2, 48}}});
  CHECK(measured("", "").cut_bytes == 0);
  CHECK(measured(R"(,"below":"work","below_unknown_bytes":7)", "").cut_bytes == 7);
  std::filesystem::remove_all(folder);
}

TEST_CASE("the sites of tests have frames that are told once, or frames as they are") {
  std::string folder = std::filesystem::temp_directory_path() / "ddm-gate-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const std::string list = folder + "/allocations.txt";
  std::ofstream(list) << "# jdk 17\np.T.fast\t1\t16\np.T.slow\t2\t48\n";
  const auto sites = [&](const char* text) {
    std::ofstream(list + ".sites.jsonl") << text;
    const auto measured = read_measured(list, "");
    REQUIRE(measured);
    return sites_of_tests(*measured);
  };
  const Amounts wanted{{"p.T.slow: int[] @ shop.Cart.add", {2, 48}},
                       {"p.T.fast: int[] @ shop.Cart.add", {1, 16}}};
  CHECK(
      sites(
          R"({"frame":1,"class":"java.util.Arrays","method":"copyOf","file":"Arrays.java","line":9}
{"frame":2,"class":"shop.Cart","method":"add","file":"Cart.java","line":17}
{"test":"p.T.slow","class":"int[]","count":2,"bytes":48,"stack":[1,2]}
{"test":"p.T.fast","class":"int[]","count":1,"bytes":16,"stack":[2]}
)") == wanted);
  CHECK(
      sites(
          R"({"test":"p.T.slow","class":"int[]","count":2,"bytes":48,"stack":[{"class":"shop.Cart","method":"add"}]}
{"test":"p.T.fast","class":"int[]","count":1,"bytes":16,"stack":[{"class":"shop.Cart","method":"add"}]}
)") == wanted);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a file without figures is no list of tests, and neither is a damaged report") {
  std::string folder = std::filesystem::temp_directory_path() / "ddm-gate-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const auto told = [&](const char* name, const char* text) {
    const std::string path = folder + "/" + name;
    std::ofstream(path) << text;
    const auto measured = read_measured(path, "");
    return measured ? "" : measured.message().substr(folder.size() + 1);
  };
  for (const char* name : {"x.sites.jsonl", "x.jsonl", "x.pb.gz", "x.txt"}) {
    CHECK(told(name, "") == std::string(name) + " is empty");
  }
  CHECK(told("x.jsonl", "# jdk 17\n").starts_with("x.jsonl is no jsonl report to compare: line 1"));
  CHECK(told("x.pb.gz", "# jdk 17\n").starts_with("x.pb.gz is no profile to compare: "));
  CHECK(told("x.txt", "# jdk 17\n").empty());
  CHECK(told("x.txt", "# jdk 17\np.T.a\t1\t160\n").empty());
  CHECK(told("x.txt", "# jdk 17\np.T.a\t1\t16") == "x.txt is cut: its last line has no end");
  const auto measured = read_measured(folder, "");
  REQUIRE_FALSE(measured);
  CHECK(measured.message().find(" is a directory; ") != std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a result with very many findings is written in a moment, each with its place") {
  namespace fs = std::filesystem;
  std::string folder = fs::temp_directory_path() / "ddm-gate-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  for (const char* package : {"", "a/", "build/shop/", "src/shop/", "src/shop/build/"}) {
    fs::create_directories(folder + "/" + package);
    std::ofstream(folder + "/" + package + "Cart.java");
  }
  for (int i = 0; i < 1'000; ++i) std::ofstream(folder + "/a/" + std::to_string(i));
  Measured now;
  now.by_site = true;
  Findings findings, few;
  for (int i = 0; i < 100'000; ++i) {
    if (i == 10'000) few.changes = findings.changes;
    const std::string name = "int[] @ shop.Cart.add" + std::to_string(i);
    now.amounts[name] = {1, 16};
    findings.changes.grown.push_back({name, {}, {1, 16}});
    if (i >= 3'000) continue;
    const char* const of = i == 1 ? "shop.build.Cart" : "shop.Cart";
    const Json frame = {{"class", of}, {"method", "add"}, {"file", "Cart.java"}, {"line", i + 1}};
    now.sites[name].push_back({"int[]", {1, 16}, Json::array({frame})});
  }
  Measured without_sites = now;
  without_sites.sites.clear();
  few.now = &without_sites;
  findings.now = &now;
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  std::string junit, annotations;
  const auto cpu_of = [&](const Findings& told) {
    const std::clock_t begin = std::clock();
    junit = findings_junit(told);
    annotations = findings_annotations(told);
    return std::clock() - begin;
  };
  const std::clock_t cpu_of_few = cpu_of(few), cpu_of_all = cpu_of(findings);
  fs::current_path(before);
  fs::remove_all(folder);
  // Ten times as much, and one reading of the folder. A search for each file would take a minute.
  CHECK(cpu_of_all < 20 * cpu_of_few);
  CHECK(junit.find("failures=\"100000\"") != std::string::npos);
  CHECK(junit.find("message=\"int[] @ shop.Cart.add99999: 1 (+1) objects") != std::string::npos);
  CHECK(annotations.starts_with("::error file=src/shop/Cart.java,line=1::allocates more: "));
  CHECK(annotations.find("\n::error file=src/shop/Cart.java,line=3000::") != std::string::npos);
  // A package may have the name of a folder for what is built.
  CHECK(annotations.find("\n::error file=src/shop/build/Cart.java,line=2::") != std::string::npos);
}

// Two objects of 24 bytes each, allocated in shop.Helper.pad(Helper.java:5), which main() calls.
enum class Numbers { kPacked, kSingle };  // of repeated fields
void add_numbers(ProtobufWriter& message, std::uint32_t field,
                 std::span<const std::uint64_t> numbers, Numbers form) {
  if (form == Numbers::kPacked) return message.add_packed(field, numbers);
  for (const std::uint64_t number : numbers) message.add_integer(field, number);
}

std::string profile_of_a_site(const char* type, const char* comment, int sample_location = 2,
                              Numbers form = Numbers::kPacked,
                              const char* outermost = "shop.Helper.main") {
  ProtobufWriter profile;
  for (const char* text : {"", type, "count", "alloc_space", "bytes", "p.Node_[new]", "class",
                           "p.Node", "shop.Helper.pad", "Helper.java", outermost, comment}) {
    profile.add_bytes(6, text);
  }
  for (const std::uint64_t kind : {1, 3}) {
    ProtobufWriter message;
    message.add_integer(1, kind);
    message.add_integer(2, kind + 1);
    profile.add_message(1, message);
  }
  for (const auto& [id, name, file, line] :
       {std::array<std::uint64_t, 4>{1, 5, 0, 0}, {2, 8, 9, 5}, {3, 10, 9, 8}}) {
    ProtobufWriter function, where, location;
    function.add_integer(1, id);
    function.add_integer(2, name);
    function.add_integer(4, file);
    profile.add_message(5, function);
    where.add_integer(1, id);
    if (line > 0) where.add_integer(2, line);
    location.add_integer(1, id);
    location.add_message(4, where);
    profile.add_message(4, location);
  }
  ProtobufWriter sample, label;
  const std::uint64_t stack[] = {1, static_cast<std::uint64_t>(sample_location), 3},
                      values[] = {2, 48};
  add_numbers(sample, 1, stack, form);
  add_numbers(sample, 2, values, form);
  label.add_integer(1, 6);
  label.add_integer(2, 7);
  sample.add_message(3, label);
  profile.add_message(2, sample);
  const std::uint64_t comments[] = {11};
  // Which of the two is usual is the other way round than for the numbers of samples.
  add_numbers(profile, 13, comments,
              form == Numbers::kPacked ? Numbers::kSingle : Numbers::kPacked);
  return profile.bytes();
}

TEST_CASE("a profile has the sites that a jsonl report has") {
  // Go's pprof, which rewrites profiles, packs otherwise than the agent.
  for (const Numbers form : {Numbers::kPacked, Numbers::kSingle}) {
    const std::string profile = profile_of_a_site("alloc_objects", "vm: A VM 21.0.2+13", 2, form);
    const auto read = read_pprof_sites(zipped(profile));
    REQUIRE(read);
    CHECK(read->vm == "A VM 21.0.2+13");
    REQUIRE(read->sites.size() == 1);
    CHECK(read->sites[0] == Json::parse(R"({"class":"p.Node","count":2,"bytes":48,"stack":[
        {"class":"shop.Helper","method":"pad","file":"Helper.java","line":5},
        {"class":"shop.Helper","method":"main","file":"Helper.java","line":8}]})"));
  }
}

TEST_CASE("a profile, too, tells of a stack that its outer frames are cut") {
  const std::string profile =
      profile_of_a_site("alloc_objects", "", 2, Numbers::kPacked, "[deeper frames cut]");
  const auto read = read_pprof_sites(zipped(profile));
  REQUIRE(read);
  CHECK(read->sites[0]["stack"].size() == 1);
  CHECK_FALSE(is_below(read->sites[0], "shop.Shop.work"));
  CHECK(is_below(read->sites[0], "Helper.pad") == true);
}

TEST_CASE("a profile with any of its bytes changed is read or refused, and never ends the reader") {
  const std::string whole = profile_of_a_site("alloc_objects", "");
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int bit : {1, 2, 4, 8, 128}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ bit);
      const auto read = read_pprof_sites(zipped(changed));
      if (!read) ++refused;
      (void)pprof_difference(changed, whole, 0);
      (void)pprof_difference(whole, changed, 0);
    }
  }
  CHECK(refused > 0);
}

TEST_CASE("a device is no report: it may have no end") {
  for (const char* path : {"/dev/zero", "/dev/null"}) {
    const auto read = read_measured(path, "");
    REQUIRE_FALSE(read);
    CHECK(read.message() == std::string(path) + " is a device, not a file");
  }
}

TEST_CASE("a profile that cannot be compared is told, and a damaged one is an error at any byte") {
  const auto said_of = [](const std::string& profile) {
    const auto read = read_pprof_sites(zipped(profile));
    return read ? "" : read.message();
  };
  CHECK(said_of(profile_of_a_site("cpu", "")) == "it has no allocations in it");
  CHECK(said_of(profile_of_a_site("alloc_objects", "estimated: one in 512 KiB")) ==
        "its figures are estimates (interval=), which are other ones each time");
  CHECK(said_of(profile_of_a_site("alloc_objects", "recent records alone (sites=0)")) ==
        "it was written with sites=0");
  CHECK(said_of(profile_of_a_site("alloc_objects", "", 99)) == "it is damaged");
  CHECK_FALSE(read_pprof_sites("not gzip"));
  const std::string whole = profile_of_a_site("alloc_objects", "");
  CHECK(read_pprof_sites(zipped(whole)));
  CHECK(read_pprof_sites(zipped(whole) + zipped(whole)).message() == "a second one begins in it");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto read = read_pprof_sites(zipped(whole.substr(0, size)));  // no crash; most are errors
    if (size < 20) CHECK_FALSE(read);
  }
}

}  // namespace ddm
