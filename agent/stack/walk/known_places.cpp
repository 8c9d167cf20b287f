#include "stack/walk/known_places.h"

#include <memory>
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
  std::unique_ptr<KnownPlaces> places(new (std::nothrow) KnownPlaces(epoch));
  if (places != nullptr && places->trail_.good() && places->tables_.good()) {
    t_places = places.release();
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
