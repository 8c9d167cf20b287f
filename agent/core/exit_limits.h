// Everything that the program's exit waits for, in the order of Agent::vm_death(), with the limit
// of each wait. A wait ends as soon as its condition holds.
//
//   a load of the agent that has just begun (Agent)          kLoadLimit
//   before VMDeath: a callback of an allocation (Tracking)    kCallbackLimit
//   findings of installed probes (Probes)                     kFindingsLimit
//   a running handler of the program (ClientApi)              kHandlerLimit
//   a round of samples (SamplerThread)                        kRoundLimit
//   a reading of the hits' cost (HitBudget)                   kRoundLimit
//   a sweep of dead objects (LiveObjects)                     kSweepLimit
//   a change of classes for probes (SideThread)               kChangeLimit
//   sockets: one non-blocking write (Server)                  milliseconds; kSocketsLimit if the
//                                                             program has closed its descriptors
//   a request in progress (Service, two lanes)                kRequestLimit, both lanes
//   a map that is being drawn or sent (MapEvents)             kMapLimit
//   a report that a server has requested (ReportHandlers)     kRequestLimit
//   a report in progress (reporter)                           kReportLimit; kHeapDumpLimit while
//                                                             a heap dump of dump= is written
//   the final reports, and traces that were to be written     no limit
//   (Time), on the thread that ends the program
//   under hprof's name: a dump in progress                    kReportLimit
//   and the final dump, on the thread that ends the program   no limit
//   and output that the peer of net= has yet to read          kPeerLimit; kPeerStallLimit if the
//   (HprofPeer)                                               peer reads nothing
//   files of an unfinished heap dump (HeapDumper)             no wait; removed at exit()
//
// When the process exits without VMDeath, Agent::process_exits() waits for the rows from the
// reports on.
//
// Three threads are joined: ddm-io, if it answers, ddm-debugger and ddm-lanes. Each wait of these
// ends when they are stopped, and nothing they call blocks. A running timer of Pulse is waited for;
// it never blocks either. Nobody waits for the rest of ddm-chores, ddm-lookup and ddm-hprof (the
// system's resolver), ddm-exit and ddm-halt: these threads end with the process.
#pragma once

#include <chrono>

namespace ddm::exit_limits {

using std::chrono::milliseconds;

inline constexpr milliseconds kLoadLimit{500};
inline constexpr milliseconds kCallbackLimit{20};
inline constexpr milliseconds kFindingsLimit{100};
inline constexpr milliseconds kHandlerLimit{100};
inline constexpr milliseconds kRoundLimit{100};
inline constexpr milliseconds kSweepLimit{50};
inline constexpr milliseconds kChangeLimit{20};
inline constexpr milliseconds kSocketsLimit{1'000};
inline constexpr milliseconds kRequestLimit{50};
inline constexpr milliseconds kMapLimit{20};
inline constexpr milliseconds kReportLimit{10'000};
inline constexpr std::chrono::minutes kHeapDumpLimit{30};
inline constexpr milliseconds kPeerLimit{10'000};
inline constexpr milliseconds kPeerStallLimit{1'000};

}  // namespace ddm::exit_limits
