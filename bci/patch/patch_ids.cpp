#include "bci/patch/patch_ids.h"

namespace bci {

std::int32_t PatchIdTable::id_of(const Part& part) {
  std::string key(part.owner);
  key.append(1, '.').append(part.name).append(part.descriptor);
  if (part.first >= 0) key.append(1, '#').append(std::to_string(part.first));
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = ids_.emplace(std::move(key), next_);
  if (is_new) {
    entries_.push_back({next_, std::string(part.owner), std::string(part.name),
                        std::string(part.descriptor), part.first});
    ++next_;
  }
  return known->second;
}

std::vector<PatchIdTable::Entry> PatchIdTable::entries() const {
  const std::lock_guard lock(mutex_);
  return entries_;
}

}  // namespace bci
