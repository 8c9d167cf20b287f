#include <catch2/catch.hpp>

#include "core/jvm_text.h"
#include "report_sample.h"

using namespace ddm;

TEST_CASE("Collapsed stacks are merged, summed and sorted") {
  const auto sample = small_sample();
  CHECK(collapsed_report(sample->data) ==
        "[deeper_frames_cut];a.Main.run;a.b.Maker.make;byte[]_[new] 64\n"
        "a.Main.run;a.Main$$Lambda/0x12.get;java.lang.Object.clone;java.lang.Integer_[new] 16\n"
        "a.Main.run;a.b.Maker.make;byte[]_[new] 64\n"
        "int[][]_[new] 56\n");
}

TEST_CASE("Collapsed stacks that were cut stand below a frame that says so") {
  ReportSample sample;
  const Frame run = sample.frame("a.Main", "run", "Main.java", 7);
  sample.add("int[]", 16, 1, {run});
  sample.add("int[]", 24, 1, {run}, kStackTruncated);
  CHECK(collapsed_report(sample.data) ==
        "[deeper_frames_cut];a.Main.run;int[]_[new] 24\n"
        "a.Main.run;int[]_[new] 16\n");
}

TEST_CASE("Collapsed stacks differ by class, by path and by order") {
  ReportSample sample;
  const Frame a = sample.frame("p.A", "a", "A.java", 1);
  const Frame b = sample.frame("p.B", "b", "B.java", 2);
  sample.add("int[]", 16, 1, {a, b});
  sample.add("int[]", 16, 1, {b, a});
  sample.add("int[]", 16, 1, {a, a});
  sample.add("int[]", 16, 1, {a});
  sample.add("int", 1, 1, {a, b});
  CHECK(collapsed_report(sample.data) ==
        "p.A.a;int[]_[new] 16\n"
        "p.A.a;p.A.a;int[]_[new] 16\n"
        "p.A.a;p.B.b;int[]_[new] 16\n"
        "p.B.b;p.A.a;int[]_[new] 16\n"
        "p.B.b;p.A.a;int_[new] 1\n");
}

TEST_CASE("Overloads and lines of one method are one frame") {
  ReportSample sample;
  const NameId first =
      sample.names.add_method({"a.A", "m", "()V", "A.java", false, {{0, 1}, {9, 2}}});
  const NameId second = sample.names.add_method({"a.A", "m", "(I)V", "A.java", false, {{0, 5}}});
  sample.add("int[]", 16, 1, {{first, 0}});
  sample.add("int[]", 16, 1, {{first, 9}});
  sample.add("int[]", 16, 1, {{second, 0}});
  CHECK(collapsed_report(sample.data) == "a.A.m;int[]_[new] 48\n");
}

TEST_CASE("Separators inside names are replaced") {
  const auto sample = hostile_sample();
  const std::string text = collapsed_report(sample->data);
  const std::string smile = "\xF0\x9F\x98\x80";
  CHECK(text == "c.\\xff\\u0000\\ud83d.m_" + smile +
                    ";b.</script><!--.</SCRIPT_>;a.\"Q\"\\.line\\u000abreak\\u0009\\u0001;d__" +
                    smile + "[]_[new] 8\n");
}

TEST_CASE("Names that read the same after replacement are one stack") {
  ReportSample sample;
  sample.add("int[]", 16, 1, {sample.frame("a.A", "x y", "", kLineUnknown)});
  sample.add("int[]", 16, 1, {sample.frame("a.A", "x_y", "", kLineUnknown)});
  CHECK(collapsed_report(sample.data) == "a.A.x_y;int[]_[new] 32\n");
}

TEST_CASE("Collapsed samples are estimates below a frame that says so") {
  const auto sample = sampled_sample();
  const std::string root = "[estimated:_one_sample_every_1.0_KiB_of_a_thread,_on_average];";
  CHECK(collapsed_report(sample->data) == root + "a.Main.run;byte[]_[new] 2560\n" + root +
                                              "a.Main.run;java.lang.Integer_[new] 2064\n");
}
