// Recognizes the JDK's classes and test runners, and picks the frame of a stack that represents the
// program. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace ddm {

// Classes in java, javax, jdk, sun and com.sun; except com.sun.tools, since javac and the like are
// programs themselves.
bool is_jdk_class(std::string_view class_name);
// JUnit, TestNG, the build tools' runners, ddm-test.jar.
bool is_test_runner(std::string_view class_name);
// Neither the JDK's nor a test runner's.
bool is_program_under_test(std::string_view class_name);

// Whether a thread created below this frame replaces its creator, which waits, in the creator's pool:
// it then runs the pool's other tasks, in a runner's pool other tests.
bool replaces_creator(std::string_view class_name, std::string_view method);
// Whether methods of this class run the tasks of a test runner's pool. A test that waits for a task of
// another pool runs further ones meanwhile, which are other tests (JUnit's ForkJoinPool, JDK 25).
bool is_runner_task(std::string_view class_name);

// How specific a class is for a program's activity, for stacks without a class of the program.
enum class ClassOrigin {
  kProgram,      // not the JDK's
  kJdkExtra,     // com.sun: servers and providers of the JDK
  kJdkModule,    // java.desktop, java.sql and so on: what the program uses of the JDK
  kJavaBase,     // collections, streams, strings: used everywhere
  kThreadStart,  // the start of a thread: in every stack
  kLibrary,      // "libz.so.1", where the frame is a native one
};
// "", the class of frames that were left out, counts as kThreadStart.
ClassOrigin origin_of(std::string_view class_name);

// The frame that represents a stack in a table: of `count` > 0 frames, innermost first, with classes
// class_of(i), the innermost one of the least origin. If that is java.base, the outermost frame that
// is no thread start; if all are libraries, the innermost. Frames without a class are skipped.
template <typename ClassOf>
std::size_t representative_frame(std::size_t count, ClassOf class_of) {
  std::size_t best = 0, outermost = count - 1;
  ClassOrigin least = ClassOrigin::kLibrary;
  for (std::size_t i = 0; i < count; ++i) {
    const ClassOrigin origin = origin_of(class_of(i));
    if (origin == ClassOrigin::kProgram) return i;
    if (origin < ClassOrigin::kThreadStart) outermost = i;
    if (origin >= least) continue;
    least = origin;
    best = i;
  }
  const bool says_little = least == ClassOrigin::kJavaBase || least == ClassOrigin::kThreadStart;
  return says_little ? outermost : best;
}

}  // namespace ddm
