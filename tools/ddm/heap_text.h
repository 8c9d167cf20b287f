// HPIF's figures as the commands show them.
#pragma once

#include <optional>
#include <string>

#include "wire/chunks/heap_info.h"

namespace ddm {

// The Java heap as a whole: heap 1, or the only one. Our agent also lists the VM's memory pools,
// with other ids. Null: there is none.
const HeapInfo::Heap* java_heap(const HeapInfo& info);

// "4.5 MiB"; a value truncated on the wire is ">= 2 GiB".
std::string heap_bytes(std::uint64_t bytes);

}  // namespace ddm
