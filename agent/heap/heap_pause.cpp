#include "heap/heap_pause.h"

#include <algorithm>

#include "core/clocks.h"
#include "heap/heap_spaces.h"

namespace ddm {
namespace {

std::uintptr_t object_of(jobject local_reference) {
  return read_at<std::uintptr_t>(reinterpret_cast<std::uintptr_t>(local_reference));
}

}  // namespace

void HeapPause::run() noexcept {
  if (called) return;
  called = true;
  const std::int64_t begin = monotonic_ns();
  late_classes.add_to(table);
  if (!read_spaces(layout, spaces)) {
    problem = "the bounds of the heap's regions";
  } else {
    record_regions();
    if (!step_over_buffers()) {
      odd_buffers = true;
    } else if (!probe()) {
      problem = "the layout of objects";
    } else {
      team.run([this](std::size_t member) { walk_as(member); });
    }
  }
  map.walk_time = std::chrono::nanoseconds(monotonic_ns() - begin);
  map.walk_cpu = std::chrono::nanoseconds(cpu_nanos);
}

bool HeapPause::step_over_buffers() noexcept {
  if (open_buffers == nullptr) return true;
  if (!open_buffers->read(holes) || !cut_at(holes, spaces, pieces)) return false;
  spaces.swap(pieces);
  return true;
}

void HeapPause::record_regions() noexcept {
  map.regions.clear();
  const std::uintptr_t object = fresh != nullptr ? object_of(fresh) : 0;
  bool young = fresh == nullptr;
  for (const HeapSpace& space : spaces) {
    if (map.regions.size() == map.regions.capacity()) break;
    map.regions.push_back({space.bottom - layout.base, space.end - space.bottom, 0, space.role});
    if (object < space.bottom || object >= space.end) continue;
    young = space.role == RegionRole::kEden || space.role == RegionRole::kSurvivor ||
            space.role == RegionRole::kWhole;
  }
  odd_roles = !young;
}

void HeapPause::walk_as(std::size_t member) noexcept {
  const std::int64_t begin = cpu_of_this_thread_ns();
  walks[member].walk(spaces, layout.base, next_space);
  if (!tiles.empty()) tiles[member].count(map, walks[member].areas(), layout.base);
  cpu_nanos += cpu_of_this_thread_ns() - begin;
}

const KlassCell* HeapPause::try_object(jobject reference, std::uint64_t& size) const noexcept {
  const std::uintptr_t object = object_of(reference);
  const auto space = std::ranges::find_if(
      spaces, [object](const HeapSpace& one) { return object >= one.bottom && object < one.top; });
  const std::uint64_t readable = space != spaces.end() ? space->limit - object : 0;
  if (readable < 64) return nullptr;
  const KlassCell* cell = table.find(key_at(layout.objects, object));
  if (cell != nullptr) size = size_of(layout.objects, *cell, object, readable);
  return cell;
}

// Two known objects must match the layout.
bool HeapPause::probe() const noexcept {
  std::uint64_t size = 0;
  const KlassCell* cell = try_object(array, size);
  if (cell == nullptr || cell->form != SizeForm::kArray || cell->shift != 0 ||
      size != layout.objects.align(cell->bytes + kProbeLength) ||
      read_at<jint>(object_of(array) + layout.objects.array_length_offset) != kProbeLength) {
    return false;
  }
  cell = try_object(mirror, size);
  return cell != nullptr && cell->form == SizeForm::kClass && size >= 64 && size < (64 << 10);
}

}  // namespace ddm
