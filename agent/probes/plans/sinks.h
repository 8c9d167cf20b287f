// The sinks, which patched code calls to count, time and record: static methods of one class that
// the agent defines in the VM. Names only.
//
//   count(I)V   count(IZ)V                 a hit
//   begin(I)J   begin(IZ)J                 a hit that is timed; begin()J, begin(Z)J without the hit
//   end(IJ)V                               the call returns; thrown(IJ)V: with an exception
//   elapsed(J)J, add(IJZ)V                 the time since begin()J, for conditions; that it counts
//   open(I)I    open(IZ)I                  a hit whose values are wanted: the record, 0 = none
//   value(IIJ)V value(IID)V value(IILjava/lang/Object;)V   one value: the record, which value
//   test(...)Z  walk(...)Z                 of conditions, bci::PatchPlan::test_class
//   holds(Z)Z                              their result, for several of these
//
// The first int is a counter or timer, but in value(). Z is the result of conditions.
#pragma once

#include <cstdint>

namespace ddm {

inline constexpr const char* kSinksClass = "java/lang/DdmTrackerSinks";

// The cells of a counter are the first two, those of a timer all: hits, tests of a condition,
// nanoseconds in all, exceptions, and how many calls took less than 1, 2, 4, ... ns.
inline constexpr std::int32_t kHitsCell = 0, kTestsCell = 1, kTotalCell = 2, kExceptionsCell = 3;
inline constexpr std::int32_t kTimesCell = 4, kTimeCells = 40;

// The second int of value(): an argument, from 1 on, or one of these. kTimeTaken: what took() has
// returned. kNoMoreValues: the call has ended, and no more values follow.
inline constexpr std::int32_t kReturnedValue = 0, kThrownValue = -1, kNoMoreValues = -2;
inline constexpr std::int32_t kTimeTaken = -3, kThisObject = -4;

}  // namespace ddm
