#include "heap/walk/klass_table.h"

#include <algorithm>

namespace ddm {
namespace {

constexpr std::size_t kFirstSlots = std::size_t{1} << 14;

}  // namespace

KlassTable::KlassTable() { clear(); }

void KlassTable::clear() {
  cells_.assign(std::max(cells_.size(), kFirstSlots), KlassCell{kNoKey});
  mask_ = cells_.size() - 1;
  size_ = 0;
}

void KlassTable::reserve(std::size_t cells) {
  while (2 * (size_ + cells) > cells_.size()) grow();
}

void KlassTable::insert(const KlassCell& cell) {
  if (cell.key == kNoKey || find(cell.key) != nullptr) return;
  if (2 * (size_ + 1) > cells_.size()) grow();
  std::size_t i = slot_of(cell.key);
  while (cells_[i].key != kNoKey) i = (i + 1) & mask_;
  cells_[i] = cell;
  cells_[i].length_mask = cell.form == SizeForm::kArray ? ~std::uint32_t{0} : 0;
  ++size_;
}

void KlassTable::grow() {
  std::vector<KlassCell> old(cells_.size() * 2, KlassCell{kNoKey});
  old.swap(cells_);
  mask_ = cells_.size() - 1;
  size_ = 0;
  for (const KlassCell& cell : old) {
    if (cell.key != kNoKey) insert(cell);
  }
}

}  // namespace ddm
