// Method* -> the jmethodID under which tools know the method.
//
// A class that is redefined gets new Method*s; frames that are active keep the old ones. The VM
// reports both under one jmethodID, found by the method's holder and its number there, and so do
// we. It never reuses a jmethodID, while a Method*'s memory may become another's. Ids are made when
// somebody first asks JVMTI or JNI for the method: until then there is none.
#pragma once

#include "stack/walk/vm_memory.h"

namespace ddm {

struct WalkedMethod {
  VmAddress id = 0;             // jmethodID, 0: none yet, or no method
  VmAddress code = 0;           // its bytecode
  std::uint16_t code_size = 0;  // tells versions of a rewritten method apart

  // Of id and size together: two versions of one method differ.
  std::uint64_t identity() const { return id ^ (std::uint64_t{code_size} << 48); }
};

class MethodResolution {
 public:
  MethodResolution(const VmLayout& layout, ReadablePages& pages) : layout_(layout), pages_(pages) {}

  // The caller knows that there is a Method.
  WalkedMethod version_of(VmAddress method) const {
    const auto constants = load<VmAddress>(method + layout_.method_const);
    const auto pool = load<VmAddress>(constants + layout_.const_pool);
    const auto holder = load<VmAddress>(pool + layout_.pool_holder);
    const auto ids = load<VmAddress>(holder + layout_.holder_ids);
    if (ids == 0) return {};
    // | count | id of number 0 | id of number 1 | ...
    const auto number = load<std::uint16_t>(constants + layout_.const_idnum);
    if (number >= load<VmAddress>(ids)) return {};
    return {load<VmAddress>(ids + (number + 1u) * sizeof(VmAddress)),
            constants + layout_.const_code,
            load<std::uint16_t>(constants + layout_.const_code_size)};
  }

  // The same for what was found where a Method* should be: follows nothing that cannot be read, and
  // returns no id unless all that it finds fits together.
  WalkedMethod checked_version_of(VmAddress method) const;

  // Of what was found where a Method* should be: the cell that refers to its class's
  // java.lang.Class. 0: it is no method, or the VM does not tell.
  VmAddress class_cell_of(VmAddress method) const;
  bool ids_are_keys() const { return layout_.ids_are_keys; }

 private:
  // The pointer kept there, 0 when it cannot be read or is none.
  VmAddress pointer_at(VmAddress at) const;
  VmAddress holder_of(VmAddress method) const;

  const VmLayout& layout_;
  ReadablePages& pages_;
};

}  // namespace ddm
