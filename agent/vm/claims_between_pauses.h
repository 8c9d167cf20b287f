// Verifies claims on memory that a pause of the VM changes: objects move, TLABs are retired.
//
// Attached threads in native code, which run during a pause too.
#pragma once

#include <jvmti.h>

#include <string>

#include "vm/memory/vm_claims.h"

namespace ddm {

// `check(claims)` is called until its claims hold; "" or the first wrong entry of the last call.
template <typename Check>
std::string wrong_between_pauses(JNIEnv* jni, const Check& check) {
  constexpr int kMostChecks = 16;
  for (int checks = 1;; ++checks) {
    // A JNI call with references returns only after a pause that is in progress. Without one, all
    // checks would fall into the same pause.
    jni->IsSameObject(nullptr, nullptr);
    VmClaims claims;
    check(claims);
    if (claims.hold() || checks == kMostChecks) return claims.wrong();
  }
}

}  // namespace ddm
