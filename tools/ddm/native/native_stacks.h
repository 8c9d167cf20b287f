// Sampled native allocations (NHGT) by their stacks, with names in place of addresses.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "wire/chunks/native_heap.h"
#include "wire_report.h"

namespace ddm {

// A Java frame (class_name), or a native one (library, and the symbol if known).
struct NativeFrame {
  std::string symbol, library;
  std::string class_name, method, file;
  int line = 0;
  std::uint64_t offset = 0;  // in the library's file
  bool is_java() const { return !class_name.empty(); }
  friend auto operator<=>(const NativeFrame&, const NativeFrame&) = default;
};

// "deflateInit_", "0x1f2e" of a native one.
std::string symbol_text(const NativeFrame& frame);
// "libz.so.1 deflateInit_", "libfoo.so+0x1f2e", "shop.Cache.fill(Cache.java:88)".
std::string text_of(const NativeFrame& frame);

struct NativeStack {
  std::vector<NativeFrame> frames;  // innermost first
  std::int64_t bytes = 0, count = 0;
  std::map<std::uint64_t, std::int64_t> by_size;  // the number of blocks by size
};

// The difference of each stack, the largest growth first; unchanged stacks are left out.
std::vector<NativeStack> difference(const std::vector<NativeStack>& before,
                                    const std::vector<NativeStack>& after);

// Most bytes first. `path_of`: maps a path of the target to one that this process can open.
std::vector<NativeStack> native_stacks(
    const NativeHeap& heap, const std::function<std::string(const std::string&)>& path_of);

// As the data of a report, so that every report format can show it: a block is an allocation of the
// class "malloc", a native function is a method of its library.
// `interval`: bytes between samples.
ReportData native_report(const std::vector<NativeStack>& stacks, const HelloReply& hello,
                         std::int64_t interval, std::int64_t now_ms);

// The stacks of such data.
std::vector<NativeStack> native_stacks(const ReportData& report);

}  // namespace ddm
