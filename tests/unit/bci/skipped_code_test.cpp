#include "bci/skipped_code.h"

#include <catch2/catch.hpp>

using namespace bci;

TEST_CASE("what cannot be rewritten counts once, however often it is tried") {
  RewriteResult methods;
  methods.class_name = "a/B";
  methods.skipped = {{"m", "()V", SkipReason::kCodeTooLong, "entry"},
                     {"m", "()V", SkipReason::kCodeTooLong, "return"},
                     {"m", "(I)V", SkipReason::kCodeTooLong, ""},
                     {"n", "()V", SkipReason::kPoolFull, ""}};
  RewriteResult whole;
  whole.class_name = "a/C";
  whole.status = RewriteStatus::kSkipped;
  whole.reason = SkipReason::kOldCodeFormat;
  SkippedCode skipped;
  for (int i = 0; i < 3; ++i) {
    skipped.add(methods);
    skipped.add(whole);
  }
  skipped.add_unnamed("lost");
  skipped.add_unnamed("lost");
  CHECK(skipped.methods() == SkippedCode::Counts{{"code-too-long", 2}, {"pool-full", 1}});
  CHECK(skipped.classes() == SkippedCode::Counts{{"old-code-format", 1}, {"lost", 2}});
  skipped.clear();
  CHECK(skipped.methods().empty());
}
