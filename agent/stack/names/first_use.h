// Recognizes allocations made once, however often the code runs: at the first use of a class, the
// linkage of a call site, the first reflective call of a method. Whether they occur depends on what
// ran before, so comparisons of two runs separate them.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace ddm {

// Whether a frame makes its stack one of a first use: class initializers, class loaders, linkage of
// invokedynamic and method handles, caches of java.lang.reflect and Class, and those of the JDK that
// fill once for a locale, a provider, a protocol.
bool is_first_use(std::string_view class_name, std::string_view method);

// What a JDK frame says of allocations that occur under contention, so by timing: waiters for a lock
// or a result, workers that a pool adds, cells of contended counters.
enum class ByTiming : std::uint8_t {
  kNo,
  kHere,  // it makes such objects, of its outer class and nested ones, and runs the program's tasks
  kInwards,  // such are all objects that it and the JDK's methods that it calls make
  kOver,     // it runs a task, or makes what was asked for
};
ByTiming waiting_of(std::string_view class_name, std::string_view method);

// The state of a stack that is followed inwards: `outer` up to the caller of a frame, `frame` the
// frame's own. A frame of the program ends it with kNo. What a method reference leads to has no such
// frame: so kHere is not handed on to what is called.
constexpr ByTiming waiting_within(ByTiming outer, ByTiming frame) {
  if (frame == ByTiming::kOver) return ByTiming::kNo;
  return outer == ByTiming::kInwards ? outer : frame;
}

// Whether an object's allocation is by timing. `waiting`: the state at the innermost frame.
constexpr bool is_by_timing(ByTiming waiting, std::string_view object_class,
                            std::string_view innermost_class) {
  return waiting == ByTiming::kInwards ||
         (waiting == ByTiming::kHere &&
          object_class.starts_with(innermost_class.substr(0, innermost_class.find('$'))));
}

}  // namespace ddm
