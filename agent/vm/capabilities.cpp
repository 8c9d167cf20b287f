#include "vm/capabilities.h"

#include <string>

#include "core/log.h"
#include "vm/jvmti_error.h"

namespace ddm {
namespace {

struct Wanted {
  const char* name;
  void (*add)(jvmtiCapabilities&);
  bool (*is_in)(const jvmtiCapabilities&);
};

// clang-format off
#define DDM_WANTED(capability)                                       \
  {#capability,                                                      \
   [](jvmtiCapabilities& c) { c.capability = 1; },                   \
   [](const jvmtiCapabilities& c) { return c.capability != 0; }}
// clang-format on

// The capabilities for rewriting are acquired but not used before tracking starts, which keeps CDS
// and the AOT cache enabled.
constexpr Wanted kWanted[] = {
    DDM_WANTED(can_tag_objects),
    DDM_WANTED(can_get_source_file_name),
    DDM_WANTED(can_get_line_numbers),
    DDM_WANTED(can_retransform_classes),
    DDM_WANTED(can_redefine_classes),
    DDM_WANTED(can_generate_all_class_hook_events),
    DDM_WANTED(can_get_bytecodes),
    DDM_WANTED(can_get_constant_pool),
    DDM_WANTED(can_generate_resource_exhaustion_heap_events),
};

#undef DDM_WANTED

}  // namespace

void add_capabilities(jvmtiEnv* jvmti) {
  jvmtiCapabilities potential{};
  jvmtiError error = jvmti->GetPotentialCapabilities(&potential);
  if (error != JVMTI_ERROR_NONE) {
    log_warn("GetPotentialCapabilities: {}", jvmti_error_name(error));
    return;
  }
  jvmtiCapabilities taken{};
  std::string missing;
  for (const Wanted& wanted : kWanted) {
    if (wanted.is_in(potential)) {
      wanted.add(taken);
    } else {
      missing += (missing.empty() ? "" : ", ") + std::string(wanted.name);
    }
  }
  error = jvmti->AddCapabilities(&taken);
  if (error != JVMTI_ERROR_NONE) log_warn("AddCapabilities: {}", jvmti_error_name(error));
  if (!missing.empty()) log_warn("this VM, or another agent in it, keeps back: {}", missing);
}

std::optional<jvmtiCapabilities> offered_capability(jvmtiEnv* jvmti, std::size_t bit) {
  jvmtiCapabilities potential{}, wanted{};
  if (jvmti->GetPotentialCapabilities(&potential) != JVMTI_ERROR_NONE) return std::nullopt;
  const auto mask = static_cast<unsigned char>(1u << bit % 8);
  if ((reinterpret_cast<const unsigned char*>(&potential)[bit / 8] & mask) == 0) {
    return std::nullopt;
  }
  reinterpret_cast<unsigned char*>(&wanted)[bit / 8] = mask;
  return wanted;
}

}  // namespace ddm
