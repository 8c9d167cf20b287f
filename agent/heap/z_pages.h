// The pages of ZGC's heap: what it hands out in one piece, of three sizes.
//
// Found by the VM's exported tables. ZGC's own threads change them at any time, so each is read
// where a wrong address is an error and no fault, and believed if it hangs together: it lies where
// the table of pages says, ends behind where it begins, and is filled up to somewhere in between.
//
//   ZHeap::_page_table -> an array of pointers, one for each 2 MiB of addresses
//   ZPage                 _type, _virtual {_start, and _end or _size}, _top
#pragma once

#include "core/result.h"
#include "wire/chunks/heap_regions.h"

namespace ddm {

// In the order of addresses, each once; positions are ZGC's offsets. `heap_bytes`: the committed
// size; pages whose sum exceeds it are rejected. Any thread attached to the VM.
Result<std::vector<HeapRegion>> read_z_pages(std::uint64_t heap_bytes);

}  // namespace ddm
