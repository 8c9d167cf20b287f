#include "stack/walk/known_places.h"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace ddm {

constinit thread_local KnownPlaces* KnownPlaces::t_places = nullptr;
constinit thread_local bool KnownPlaces::t_ended = false;

struct KnownPlaces::Owner {
  ~Owner() {
    t_ended = true;
    delete std::exchange(t_places, nullptr);
  }
};

KnownPlaces* KnownPlaces::make(Epoch epoch) {
  if (t_ended) return nullptr;
  static thread_local Owner owner;
  static_cast<void>(owner);  // made here, so that it is destroyed when the thread ends
  // Zeroed pages are empty entries; memory is committed on the first write.
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  char* const table = static_cast<char*>(memory) + kTrailBytes;
  t_places =
      new (std::nothrow) KnownPlaces(new (memory) StackTrail(), reinterpret_cast<Known*>(table),
                                     new (table + kTableBytes) ParkedTrails(), epoch);
  if (t_places == nullptr) munmap(memory, kBytes);
  return t_places;
}

KnownPlaces::~KnownPlaces() { munmap(trail_, kBytes); }

void KnownPlaces::begin(Epoch epoch) {
  epoch_ = epoch;
  replaced_ = 0;
  trail_->clear();
  parked_->clear();
  if (number_++ < kMostNumber) return;
  number_ = 1;
  std::fill_n(table_, kMost, Known());
}

// Entries are not moved: a place that is met again is cached again, in its new slot.
void KnownPlaces::widen() {
  replaced_ = 0;
  if (size() < kMost) shift_ -= 2;
}

}  // namespace ddm
