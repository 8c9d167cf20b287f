// What the program's exit waits for, and how long at most: all of it, in the order of
// Agent::vm_death(). Each limit is a limit and not a pause: nothing to wait for, no wait.
//
//   what probes have found so far (Probes), if any are in     kFindingsLimit
//   a handler of the program's that runs (ClientApi)          kHandlerLimit
//   sockets: what they take at once is written (Server)       no wait
//   a request that is being handled (Service, two lanes)      kRequestLimit, both lanes
//   a map that is being drawn or sent (MapEvents)             kMapLimit
//   a report that a server has asked for (ReportHandlers)     kRequestLimit
//   a report that is being written (reporter)                 kReportLimit; kHeapDumpLimit while
//                                                             it writes a heap dump of dump=
//   the last reports, on the thread that ends the program     as long as writing takes
//   under hprof's name: a dump that is being written          kReportLimit
//   and the last one, on the thread that ends the program     as long as writing takes
//   and what net= has not taken yet (HprofPeer)               kPeerLimit; kPeerStallLimit if it
//                                                             takes nothing
//   files of an unfinished heap dump (HeapDumper)             no wait; the rest at exit()
//
// Agent::process_exits(), where the VM does not say that it dies, waits for those from the reports on.
//
// Two threads are joined: ddm-io and ddm-debugger. Whatever they wait for, they wait for their waker
// with it, and what they call never waits. A timer of Pulse's that runs is waited for; it never waits
// either. Nobody waits for the rest of ddm-chores, ddm-lookup (the system's resolver), ddm-hprof,
// ddm-exit and ddm-halt: they end with the process.
#pragma once

#include <chrono>

namespace ddm::exit_limits {

using std::chrono::milliseconds;

inline constexpr milliseconds kFindingsLimit{100};
inline constexpr milliseconds kHandlerLimit{100};
inline constexpr milliseconds kRequestLimit{50};
inline constexpr milliseconds kMapLimit{20};
inline constexpr milliseconds kReportLimit{10'000};
inline constexpr std::chrono::minutes kHeapDumpLimit{30};
inline constexpr milliseconds kPeerLimit{10'000};
inline constexpr milliseconds kPeerStallLimit{1'000};

}  // namespace ddm::exit_limits
