// Facts about this process for HELO, reports and the discovery file.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <string>

namespace ddm {

struct VmFacts {
  std::int64_t pid = 0;
  std::uint64_t process_start = 0;  // clock ticks since boot; not set by read_vm_facts()
  std::string app;                  // main class, or the jar's file name; embedded VM: the program's
  std::string vm;                   // "OpenJDK 64-Bit Server VM 17.0.15+6-Debian-1deb12u1"
};

// Live phase only.
VmFacts read_vm_facts(jvmtiEnv* jvmti);

// A system property as given at start-up; "": not set.
std::string system_property(jvmtiEnv* jvmti, const char* name);

// 17, 25, ...; 0: unknown.
int vm_feature_release(jvmtiEnv* jvmti);

// The first release in which VMDeath is the last event: the VM posts no other one once its end has
// begun, and waits for callbacks that have not returned (JDK-8355631).
constexpr int kVmDeathIsLast = 26;

}  // namespace ddm
