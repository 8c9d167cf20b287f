#include "stack/names/test_frames.h"

#include <algorithm>
#include <array>

#include "stack/names/jdk_classes.h"

namespace ddm {
namespace {

constexpr std::array<std::string_view, 8> kTestRunners = {
    "org.junit.",        "junit.",    "org.testng.",           "org.opentest4j.",
    "org.apache.maven.", "ddm.test.", "org.apache.tools.ant.", "org.gradle."};

}  // namespace

bool is_test_runner(std::string_view class_name) {
  return std::any_of(kTestRunners.begin(), kTestRunners.end(),
                     [&](std::string_view package) { return class_name.starts_with(package); });
}

bool is_program_under_test(std::string_view class_name) {
  return !is_jdk_class(class_name) && !is_test_runner(class_name);
}

bool replaces_creator(std::string_view class_name, std::string_view method) {
  return class_name == "java.util.concurrent.ForkJoinPool" && method == "tryCompensate";
}

}  // namespace ddm
