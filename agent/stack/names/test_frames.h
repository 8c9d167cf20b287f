// Classifies a stack's frames as a test runner's or the tested program's. Pure functions.
#pragma once

#include <string_view>

namespace ddm {

// JUnit, TestNG, the build tools' runners, ddm-test.jar.
bool is_test_runner(std::string_view class_name);

// Neither the JDK's nor a test runner's.
bool is_program_under_test(std::string_view class_name);

// Whether a thread created below this frame replaces its creator, which waits, in the creator's pool:
// it then runs the pool's other tasks, in a runner's pool other tests.
bool replaces_creator(std::string_view class_name, std::string_view method);

}  // namespace ddm
