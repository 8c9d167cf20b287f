// Method profiling: MPRS, MPRE, MPSS, MPSE, SPSS, SPSE, MPRQ.
#pragma once

#include "wire/chunks/heap_dump.h"
#include "wire/chunks/special_fields.h"

namespace ddm {

// Requests without data. MPSE and SPSE return the trace, both as an MPSE chunk.
inline constexpr ChunkType kStopTracingToFile = chunk_type("MPRE");
inline constexpr ChunkType kStopTracing = chunk_type("MPSE");
inline constexpr ChunkType kStopSampling = chunk_type("SPSE");
inline constexpr ChunkType kTraceData = chunk_type("MPSE");

// MPRS: trace to a file on the VM's side.   u4 buffer bytes, u4 flags, str path
struct TraceToFileRequest {
  static constexpr ChunkType kType = chunk_type("MPRS");
  std::uint32_t buffer_bytes = 0;
  std::uint32_t flags = 0;
  std::string path;
  static constexpr auto kFields = std::tuple(&TraceToFileRequest::buffer_bytes,
                                             &TraceToFileRequest::flags, &TraceToFileRequest::path);
};

// MPRE, the reply.   u1 result: 0 done, 1 failed
using TraceToFileReply = ResultReply<chunk_type("MPRE"), 1>;

// MPSS: trace into memory.
//   u4 buffer bytes, u4 flags[, DDM extension: str methods[, u4 us, str below[, str at_end]]]
struct TraceRequest {
  static constexpr ChunkType kType = chunk_type("MPSS");
  std::uint32_t buffer_bytes = 0;
  std::uint32_t flags = 0;
  std::string methods{};           // as in the option methods=; "": the agent's option applies
  std::uint32_t least_micros = 0;  // shorter calls are dropped
  std::string below{};             // only these methods and what they call
  std::string at_end{};            // a new file, for the trace if the program ends before it does
  static constexpr auto kFields =
      std::tuple(&TraceRequest::buffer_bytes, &TraceRequest::flags,
                 LeftOutIfEmpty(&TraceRequest::methods,
                                LeftOutIfEmpty(&TraceRequest::least_micros, &TraceRequest::below,
                                               LeftOutIfEmpty(&TraceRequest::at_end))));
};

// SPSS: sample into memory.
//   u4 buffer bytes, u4 flags, u4 interval in microseconds[, DDM extension: str at_end, as in MPSS]
struct SampleRequest {
  static constexpr ChunkType kType = chunk_type("SPSS");
  std::uint32_t buffer_bytes = 0;
  std::uint32_t flags = 0;
  std::uint32_t interval_micros = 0;
  std::string at_end{};
  static constexpr auto kFields =
      std::tuple(&SampleRequest::buffer_bytes, &SampleRequest::flags,
                 &SampleRequest::interval_micros, LeftOutIfEmpty(&SampleRequest::at_end));
};

// MPRQ, the reply; the request has no data.   u1 0 off, 1 tracing, 2 sampling
struct ProfilingState {
  static constexpr ChunkType kType = chunk_type("MPRQ");
  enum class Mode : std::uint8_t { kOff = 0, kTracing = 1, kSampling = 2 };
  Mode mode = Mode::kOff;
  static constexpr auto kFields = std::tuple(UpTo{&ProfilingState::mode, Mode::kSampling});
};

}  // namespace ddm
