// Method* -> jmethodID, the identity of a method for tools.
//
// A redefined class gets new Method*s; active frames keep the old ones. The VM reports both under
// one jmethodID, determined by the method's holder and its idnum, and so does this. A jmethodID is
// never reused, while a Method*'s memory may be. Ids are created on the first request through JVMTI
// or JNI: before that a method has none.
#pragma once

#include "stack/walk/vm_memory.h"

namespace ddm {

struct WalkedMethod {
  VmAddress id = 0;             // jmethodID, 0: none yet, or no method
  VmAddress code = 0;           // its bytecode
  std::uint16_t code_size = 0;  // distinguishes versions of a rewritten method

  // Combines id and size: differs between two versions of a method.
  std::uint64_t identity() const { return id ^ (std::uint64_t{code_size} << 48); }
};

class MethodResolution {
 public:
  MethodResolution(const VmLayout& layout, ReadablePages& pages) : layout_(layout), pages_(pages) {}

  // The caller guarantees that `method` is a Method*.
  WalkedMethod version_of(VmAddress method) const {
    const auto constants = load<VmAddress>(method + layout_.method_const);
    const auto pool = load<VmAddress>(constants + layout_.const_pool);
    const auto holder = load<VmAddress>(pool + layout_.pool_holder);
    const auto ids = load<VmAddress>(holder + layout_.holder_ids);
    if (ids == 0) return {};
    // The table: | count | id of idnum 0 | id of idnum 1 | ...
    const auto number = load<std::uint16_t>(constants + layout_.const_idnum);
    if (number >= load<VmAddress>(ids)) return {};
    return {load<VmAddress>(ids + (number + 1u) * sizeof(VmAddress)),
            constants + layout_.const_code,
            load<std::uint16_t>(constants + layout_.const_code_size)};
  }

  // The same for an unverified Method*: dereferences only readable memory, and returns an id only
  // if everything found is consistent.
  WalkedMethod checked_version_of(VmAddress method) const;

  // For an unverified Method*: the cell that refers to its class's java.lang.Class. 0: no method,
  // or the layout is unknown.
  VmAddress class_cell_of(VmAddress method) const;
  bool ids_are_keys() const { return layout_.ids_are_keys; }

 private:
  // The pointer stored there; 0: not readable, or no pointer.
  VmAddress pointer_at(VmAddress at) const;
  VmAddress holder_of(VmAddress method) const;

  const VmLayout& layout_;
  ReadablePages& pages_;
};

}  // namespace ddm
