// The pages of ZGC's heap, its unit of allocation, of three sizes.
//
// Located by vmStructs. ZGC's threads change them at any time, so reads cannot fault (own_memory.h),
// and a page counts only if it is consistent: at the address that the page table gives, with an end
// after its start and a top in between.
//
//   ZHeap::_page_table -> an array of pointers, one for each 2 MiB of addresses
//   ZPage                 _type, _virtual {_start, and _end or _size}, _top
#pragma once

#include "core/result.h"
#include "wire/chunks/heap_regions.h"

namespace ddm {

// In order of address, each once; positions are ZGC's offsets. `heap_bytes`: the committed size; an
// error if the pages' sum exceeds it. Attached threads.
Result<std::vector<HeapRegion>> read_z_pages(std::uint64_t heap_bytes);

}  // namespace ddm
