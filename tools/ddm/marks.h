// Marks: named moments of a program, with the sites' figures at that time.
//
// Marks are files of the command and cost the program nothing: PID-NAME.jsonl, a list of sites, and
// PID-NAME.html, the page of that moment with all stacks, of mode 0600 in the directory `marks`
// (0700) beside the discovery files. Setting a mark removes those of programs that have ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "site_figures.h"
#include "wire/chunks/native_heap.h"

namespace ddm {

// Why one of these names may not be given: letters, digits, ".", "_" and "-", up to 64 of them. "":
// both are right, or missing.
std::string marks_fault(const std::string& mark, const std::string& since);

// `figures` and `page` are current ones. Replaces a mark of that name.
std::optional<Error> set_mark(const std::string& name, const SiteFigures& figures,
                              std::string_view page);
// The path of the page of a mark found by find_mark().
Result<std::string> page_of_mark(const std::string& name, std::int64_t pid);

// The figures of a mark that `now` can be compared with. The error: no such mark (and the existing
// ones), or a mark of another program or another period of tracking.
Result<SiteFigures> find_mark(const std::string& name, const SiteFigures& now);

// Marks of native memory are files PID-NAME.nhgt, the NHGT data of that moment. This identifies the
// program and the period of sampling: only figures with equal ones can be compared.
struct NativeMoment {
  std::uint32_t pid = 0;
  std::uint64_t process_start = 0;
  std::uint32_t period = 0;  // how often sampling was switched on
};

// Replaces a mark of that name, and removes those of ended programs that are older than a week.
std::optional<Error> set_native_mark(const std::string& name, const NativeMoment& now,
                                     const NativeHeap& heap);

// The error: no such mark, or one of another program or another period of sampling.
Result<NativeHeap> find_native_mark(const std::string& name, const NativeMoment& now);

}  // namespace ddm
