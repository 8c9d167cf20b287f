// What reads pprof's profiles: the sites of one, and the difference of two. An input is a profile
// that is not packed.
#include <cstdint>
#include <string_view>

#include "gate/pprof_sites.h"
#include "serve/pprof_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view profile(reinterpret_cast<const char*>(data), size);
  (void)ddm::read_pprof_sites(ddm::zipped(profile));
  (void)ddm::pprof_difference(profile, profile, 1);
  (void)ddm::pprof_difference(profile, "", 1);
  (void)ddm::pprof_difference(profile.substr(0, size / 2), profile.substr(size / 2), 1);
  (void)ddm::with_default_type(std::string(profile), "alloc_space");
  return 0;
}
