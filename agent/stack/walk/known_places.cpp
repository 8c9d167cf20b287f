#include "stack/walk/known_places.h"

#include <memory>
#include <new>
#include <utility>

#include "core/thread_exit.h"

namespace ddm {

constinit thread_local KnownPlaces* KnownPlaces::t_places = nullptr;

KnownPlaces* KnownPlaces::make(Epoch epoch) {
  std::unique_ptr<KnownPlaces> places(new (std::nothrow) KnownPlaces(epoch));
  if (places != nullptr && places->trail_.good() && places->tables_.good()) {
    t_places = places.release();
    ThreadExit::call([]() noexcept { delete std::exchange(t_places, nullptr); });
  }
  return t_places;
}

void KnownPlaces::begin(Epoch epoch) {
  epoch_ = epoch;
  replaced_ = 0;
  trail_.clear();
  parked().clear();
  if (number_++ < kMostNumber) return;
  number_ = 1;
  tables_[0].known.fill(Known());
}

// Entries are not moved: a place that is met again is cached again, in its new slot.
void KnownPlaces::widen() {
  replaced_ = 0;
  if (size() < kMost) shift_ -= 2;
}

}  // namespace ddm
