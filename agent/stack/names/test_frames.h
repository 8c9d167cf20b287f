// Which frames of a stack are a test's own. Pure functions.
#pragma once

#include <string_view>

namespace ddm {

// Of what runs tests: JUnit, TestNG, the build tools' runners, ddm-test.jar.
bool is_of_test_runner(std::string_view class_name);

// Neither the JDK's nor of what runs tests.
bool is_of_program_under_test(std::string_view class_name);

// Whether a thread that is made below this frame takes the place of the maker, which waits: it then runs
// what else the maker's pool has to do, in a runner's pool other tests.
bool takes_makers_place(std::string_view class_name, std::string_view method);

}  // namespace ddm
