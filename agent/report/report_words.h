// Formats numbers, times and long names for people. Pure functions, for the text reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "allocations/store/live_ages.h"
#include "report/report_names.h"

namespace ddm {

std::string grouped(std::int64_t number);                         // "1,234,567"
std::string counted(std::int64_t number, std::string_view noun);  // "1 object", "1,200 objects"
std::string human_bytes(std::int64_t bytes);                      // "512 B", "45.6 MiB"
std::string human_duration(std::int64_t ms);                      // "850 ms", "3 min 12 s"
std::string share_of(std::int64_t part, std::int64_t whole);      // "12.3%"
std::string age_words(std::size_t age_class);                     // "0", "4-7", "1,024+"
std::string utc_seconds(std::int64_t ms_since_epoch);             // "2024-05-01 12:00:00"
std::string utc_millis(std::int64_t ms_since_epoch);              // "2024-05-01 12:00:00.123"

// Of the figures of a ring file with `seen_at_least`.
inline constexpr std::string_view kLowerBounds = "lower bounds: the end of the run is missing";

// The label for allocations whose stacks have a gap (CallTree).
inline constexpr std::string_view kOfSeldomStacks = "of stacks without room for all frames";

// Prefixes of the comments that describe a profile's (.pb.gz) figures: report_pprof.cpp writes them,
// `ddm gate` reads them.
inline constexpr std::string_view kPprofVm = "vm: ";  // followed by "vm" of a jsonl summary
inline constexpr std::string_view kPprofEstimated = "estimated: ";
inline constexpr std::string_view kPprofRecentOnly = "recent records alone (sites=0)";

// Terminal width that text for people fits in. Files have complete names.
constexpr std::size_t kColumns = 80;
constexpr std::size_t kAnyColumns = std::size_t{1} << 30;

// `text` with its middle replaced by "..." if it has more than `width` characters.
std::string shortened(std::string_view text, std::size_t width);

// A type name of at most `width` characters: packages are abbreviated to one letter, from the left,
// then the middle is dropped.
std::string shortened_type(std::string_view type_name, std::size_t width);

// The class of a lock. The VM guards the initialisation of a class by an int[], which is said of those.
std::string lock_text(std::string_view kind, std::string_view type_name);

// "B.java:12", "B.java", "Native Method", "Unknown Source": the part in () of a stack trace.
std::string place_text(std::string_view file, int line);

// "a.b.Cls.method(File.java:12)" in `width` characters if that is possible without shortening the
// method's name: packages are abbreviated, then a file name implied by the class is dropped
// ("(:12)"), then the middle of the class name, then that of the file name. `place` is the part in
// parentheses.
std::string shortened_frame(const PrintableMethod& method, std::string_view place,
                            std::size_t width);

}  // namespace ddm
