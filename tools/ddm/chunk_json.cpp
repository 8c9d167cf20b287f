#include "chunk_json.h"

#include <map>

#include "wire/chunks/allocations.h"
#include "wire/chunks/app_state.h"
#include "wire/chunks/fail.h"
#include "wire/chunks/heap_dump.h"
#include "wire/chunks/heap_info.h"
#include "wire/chunks/heap_segments.h"
#include "wire/chunks/hello.h"
#include "wire/chunks/native_heap.h"
#include "wire/chunks/profiling.h"
#include "wire/chunks/switch_request.h"

namespace ddm {
namespace {

Json frame_json(std::string_view class_name, std::string_view method, std::string_view file,
                int line) {
  return {{"class", json_text(class_name)},
          {"method", json_text(method)},
          {"file", json_text(file)},
          {"line", line}};
}

Json to_json(const HelloReply& hello) {
  return {{"version", hello.version},
          {"pid", hello.pid},
          {"vm", json_text(hello.vm)},
          {"app", json_text(hello.app)},
          {"userId", hello.user_id},
          {"abi", json_text(hello.abi)},
          {"jvmFlags", json_text(hello.jvm_flags)},
          {"nativeDebuggable", hello.native_debuggable},
          {"package", json_text(hello.package)},
          {"stage", hello.stage == 0 ? "" : chunk_name(hello.stage)}};
}

Json to_json(const Features& features) {
  Json names = Json::array();
  for (const std::string& name : features.names) names.push_back(json_text(name));
  return names;
}

Json to_json(const AppName& name) {
  return {{"app", json_text(name.name)},
          {"userId", name.user_id},
          {"package", json_text(name.package)}};
}

Json to_json(const Waiting& waiting) { return {{"reason", waiting.reason}}; }

Json to_json(const Fail& fail) {
  return {{"code", static_cast<std::uint32_t>(fail.code)}, {"message", json_text(fail.message)}};
}

template <ChunkType Type>
Json to_json(const ThreadNameEvent<Type>& event) {
  return {{"id", event.id}, {"name", json_text(event.name)}};
}

Json to_json(const ThreadDied& event) { return {{"id", event.id}}; }

Json to_json(const ThreadStatusTable& table) {
  Json list = Json::array();
  for (const ThreadStatusTable::Entry& entry : table.entries) {
    list.push_back({{"id", entry.id},
                    {"state", thread_state_name(entry.state)},
                    {"tid", entry.os_id},
                    {"utime", entry.user_ticks},
                    {"stime", entry.system_ticks},
                    {"daemon", entry.daemon}});
  }
  return list;
}

Json to_json(const ThreadStatusList& statuses) {
  Json list = Json::array();
  for (const ThreadStatusList::Entry& entry : statuses.entries) {
    list.push_back({{"id", entry.id},
                    {"state", thread_state_name(entry.state)},
                    {"suspended", entry.suspended}});
  }
  return list;
}

Json to_json(const ThreadStack& stack) {
  return {{"id", stack.id}, {"stack", stack_json(stack.frames)}};
}

Json to_json(const HeapInfo& info) {
  Json heaps = Json::array();
  for (const HeapInfo::Heap& heap : info.heaps) {
    heaps.push_back({{"id", heap.id},
                     {"ms", heap.time_ms},
                     {"reason", static_cast<int>(heap.reason)},
                     {"maxBytes", heap.max_bytes},
                     {"currentBytes", heap.current_bytes},
                     {"allocatedBytes", heap.allocated_bytes},
                     {"allocatedObjects", heap.allocated_objects}});
  }
  return heaps;
}

Json to_json(const HeapUsage& usage) {
  Json collectors = Json::array();
  for (const HeapUsage::Collector& collector : usage.collectors) {
    collectors.push_back({{"name", json_text(collector.name)},
                          {"collections", collector.collections},
                          {"ms", collector.millis}});
  }
  return {{"maxBytes", usage.max_bytes},
          {"committedBytes", usage.committed_bytes},
          {"usedBytes", usage.used_bytes},
          {"collectors", std::move(collectors)}};
}

template <ChunkType Type>
Json to_json(const HeapBracket<Type>& bracket) {
  return {{"heap", bracket.heap_id}};
}

Json to_json(const HeapSegment& segment) {
  Json runs = Json::array();
  for (const HeapRun& run : segment.runs()) {
    runs.push_back({{"solidity", static_cast<int>(solidity_of(run.state))},
                    {"kind", static_cast<int>(kind_of(run.state))},
                    {"units", run.units}});
  }
  return {{"heap", segment.heap_id},  {"unit", segment.unit},   {"start", segment.start},
          {"offset", segment.offset}, {"units", segment.units}, {"runs", std::move(runs)}};
}

Json to_json(const TrackingState& state) { return {{"tracking", state.on}}; }

Json to_json(const ProfilingState& state) { return {{"mode", static_cast<int>(state.mode)}}; }

template <ChunkType Type, std::uint8_t Failure>
Json to_json(const ResultReply<Type, Failure>& reply) {
  return {{"done", reply.done}};
}

Json to_json(const NativeHeap& heap) {
  const NativePlaces places(heap.maps);
  Json records = Json::array();
  for (const NativeHeap::Record& record : heap.records) {
    Json backtrace = Json::array();
    for (const std::uint64_t pc : record.backtrace) backtrace.push_back(json_text(places.of(pc)));
    records.push_back(
        {{"size", record.size}, {"count", record.count}, {"backtrace", std::move(backtrace)}});
  }
  return {{"totalBytes", heap.total_bytes}, {"depth", heap.depth}, {"records", std::move(records)}};
}

Json to_json(const Allocations& allocations) {
  Json list = Json::array();
  for (const Allocations::Entry& entry : allocations.entries) {
    Json frames = Json::array();
    for (const Allocations::Frame& frame : allocations.frames_of(entry)) {
      frames.push_back(frame_json(allocations.classes[frame.class_index],
                                  allocations.methods[frame.method_index],
                                  allocations.files[frame.file_index], frame.line));
    }
    list.push_back({{"class", json_text(allocations.classes[entry.class_index])},
                    {"size", entry.bytes},
                    {"thread", entry.thread_id},
                    {"stack", std::move(frames)}});
  }
  return list;
}

template <typename Message>
std::optional<Json> decoded(ByteSpan data) {
  const auto message = decode<Message>(data);
  if (!message) return {};
  return to_json(*message);
}

// Two layouts: the one that servers poll, and the one of 2007 that comes in intervals.
std::optional<Json> thread_status(ByteSpan data) {
  if (auto table = decoded<ThreadStatusTable>(data)) return table;
  return decoded<ThreadStatusList>(data);
}

using Decoder = std::optional<Json> (*)(ByteSpan);

const std::map<ChunkType, Decoder>& decoders() {
  static const std::map<ChunkType, Decoder> table = {
      {HelloReply::kType, decoded<HelloReply>},
      {Features::kType, decoded<Features>},
      {AppName::kType, decoded<AppName>},
      {Waiting::kType, decoded<Waiting>},
      {Fail::kType, decoded<Fail>},
      {ThreadCreated::kType, decoded<ThreadCreated>},
      {ThreadRenamed::kType, decoded<ThreadRenamed>},
      {ThreadDied::kType, decoded<ThreadDied>},
      {ThreadStatusTable::kType, thread_status},
      {ThreadStack::kType, decoded<ThreadStack>},
      {HeapInfo::kType, decoded<HeapInfo>},
      {HeapUsage::kType, decoded<HeapUsage>},
      {HeapStart::kType, decoded<HeapStart>},
      {HeapEnd::kType, decoded<HeapEnd>},
      {NativeHeapStart::kType, decoded<NativeHeapStart>},
      {NativeHeapEnd::kType, decoded<NativeHeapEnd>},
      {kMergedSegment, decoded<HeapSegment>},
      {kObjectSegment, decoded<HeapSegment>},
      {kNativeSegment, decoded<HeapSegment>},
      {TrackingState::kType, decoded<TrackingState>},
      {ProfilingState::kType, decoded<ProfilingState>},
      {HeapDumpReply::kType, decoded<HeapDumpReply>},
      {TraceToFileReply::kType, decoded<TraceToFileReply>},
      {NativeHeap::kType, decoded<NativeHeap>},
      {kAllocations, decoded<Allocations>},
  };
  return table;
}

}  // namespace

std::optional<Json> chunk_to_json(const Chunk& chunk) {
  const auto found = decoders().find(chunk.type);
  if (found == decoders().end()) return {};
  return found->second(chunk.data);
}

Json stack_json(const std::vector<ThreadStack::Frame>& stack) {
  Json frames = Json::array();
  for (const ThreadStack::Frame& frame : stack) {
    frames.push_back(frame_json(frame.class_name, frame.method, frame.file, frame.line));
  }
  return frames;
}

std::string source_location(const ThreadStack::Frame& frame) {
  if (frame.line == -2) return "Native Method";
  if (frame.file.empty()) return "Unknown Source";
  return frame.line > 0 ? fmt::format("{}:{}", frame.file, frame.line) : frame.file;
}

std::string_view thread_state_name(ThreadState state) {
  constexpr std::string_view kNames[] = {"zombie", "running", "timed-wait", "monitor", "wait",
                                         "init",   "start",   "native",     "vmwait",  "suspended"};
  const auto number = static_cast<std::size_t>(state);
  return number < std::size(kNames) ? kNames[number] : "unknown";
}

}  // namespace ddm
