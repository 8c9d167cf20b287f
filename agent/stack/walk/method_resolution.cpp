#include "stack/walk/method_resolution.h"

namespace ddm {

VmAddress MethodResolution::pointer_at(VmAddress at) const {
  if (at % sizeof(VmAddress) != 0 || !pages_.is_readable(at, sizeof(VmAddress))) return 0;
  const auto pointer = load<VmAddress>(at);
  return pointer % sizeof(VmAddress) == 0 ? pointer : 0;
}

VmAddress MethodResolution::holder_of(VmAddress method) const {
  const VmAddress constants = method != 0 ? pointer_at(method + layout_.method_const) : 0;
  const VmAddress pool = constants != 0 ? pointer_at(constants + layout_.const_pool) : 0;
  return pool != 0 ? pointer_at(pool + layout_.pool_holder) : 0;
}

VmAddress MethodResolution::class_cell_of(VmAddress method) const {
  const VmAddress holder = layout_.class_cell != kAbsent ? holder_of(method) : 0;
  const VmAddress cell = holder != 0 ? pointer_at(holder + layout_.class_cell) : 0;
  return cell != 0 && pages_.is_readable(cell, sizeof(VmAddress)) ? cell : 0;
}

WalkedMethod MethodResolution::checked_version_of(VmAddress method) const {
  const VmAddress holder = holder_of(method);
  const VmAddress ids = holder != 0 ? pointer_at(holder + layout_.holder_ids) : 0;
  if (ids == 0) return {};
  const VmAddress constants = load<VmAddress>(method + layout_.method_const);
  if (!pages_.is_readable(constants, static_cast<std::size_t>(layout_.const_code)) ||
      !pages_.is_readable(ids, sizeof(VmAddress))) {
    return {};
  }
  const auto number = load<std::uint16_t>(constants + layout_.const_idnum);
  if (number >= load<VmAddress>(ids)) return {};
  if (layout_.ids_are_keys) return version_of(method);
  // An id is the address of a pointer to the method's newest version, of the same holder.
  const VmAddress id = pointer_at(ids + (number + 1u) * sizeof(VmAddress));
  const VmAddress newest = id != 0 ? pointer_at(id) : 0;
  if (newest == 0 || holder_of(newest) != holder) return {};
  return version_of(method);
}

}  // namespace ddm
