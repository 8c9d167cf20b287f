// The system's resolver with a name server that does not answer.
#pragma once

namespace ddm {

// The name of 127.0.0.1 for who asks the resolver.
inline constexpr char kLoopbackName[] = "loopback.example";

// While one is there, looking up any name that is not numeric takes until it has gone, and then
// fails. In this whole process; lookups that are going on are waited for at the end.
class SilentResolver {
 public:
  SilentResolver();
  ~SilentResolver();
  SilentResolver(const SilentResolver&) = delete;
  SilentResolver& operator=(const SilentResolver&) = delete;

  // A lookup has begun, within 10 s.
  static bool wait_until_asked();
};

}  // namespace ddm
