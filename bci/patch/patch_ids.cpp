#include "bci/patch/patch_ids.h"

namespace bci {

std::int32_t PatchIdTable::id_of(std::string_view owner, std::string_view name,
                                 std::string_view descriptor, std::int64_t first) {
  std::string key(owner);
  key.append(1, '.').append(name).append(descriptor);
  if (first >= 0) key.append(1, '#').append(std::to_string(first));
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = ids_.emplace(std::move(key), next_);
  if (is_new) {
    entries_.push_back(
        {next_, std::string(owner), std::string(name), std::string(descriptor), first});
    ++next_;
  }
  return known->second;
}

std::int32_t PatchIdTable::class_id(std::string_view class_name) {
  return id_of(class_name, {}, {}, -1);
}

std::int32_t PatchIdTable::method_id(std::string_view owner, std::string_view name,
                                     std::string_view descriptor) {
  return id_of(owner, name, descriptor, -1);
}

std::int32_t PatchIdTable::block_id(std::string_view owner, std::string_view name,
                                    std::string_view descriptor, std::uint32_t first) {
  return id_of(owner, name, descriptor, first);
}

std::vector<PatchIdTable::Entry> PatchIdTable::entries() const {
  const std::lock_guard lock(mutex_);
  return entries_;
}

}  // namespace bci
