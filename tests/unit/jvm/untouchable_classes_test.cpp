#include "vm/class_changes/untouchable_classes.h"

#include <catch2/catch.hpp>

using namespace ddm;

TEST_CASE("our own classes and those between two carriers are left alone") {
  CHECK(why_untouchable("java/lang/DdmTrackerSinks") == "it is a class of the agent");
  CHECK(is_untouchable("java/lang/VirtualThread$VThreadContinuation"));
  CHECK(is_untouchable("jdk/internal/vm/Continuation"));
  CHECK_FALSE(is_untouchable("java/lang/VirtualMachineError"));
  CHECK_FALSE(is_untouchable("java/lang/String"));
}
