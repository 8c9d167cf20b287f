#include "chunk_json.h"

#include <map>

#include "report/report_words.h"
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

Json to_json(const Features& features) { return json_texts(features.names); }

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
  return json_list(table.entries, [](const ThreadStatusTable::Entry& entry) -> Json {
    return {{"id", entry.id},
            {"state", thread_state_name(entry.state)},
            {"tid", entry.os_id},
            {"utime", entry.user_ticks},
            {"stime", entry.system_ticks},
            {"daemon", entry.daemon}};
  });
}

Json to_json(const ThreadStatusList& statuses) {
  return json_list(statuses.entries, [](const ThreadStatusList::Entry& entry) -> Json {
    return {{"id", entry.id},
            {"state", thread_state_name(entry.state)},
            {"suspended", entry.suspended}};
  });
}

Json to_json(const ThreadStack& stack) {
  return {{"id", stack.id}, {"stack", stack_json(stack.frames)}};
}

Json to_json(const HeapInfo& info) {
  return json_list(info.heaps, [](const HeapInfo::Heap& heap) -> Json {
    return {{"id", heap.id},
            {"ms", heap.time_ms},
            {"reason", static_cast<int>(heap.reason)},
            {"maxBytes", heap.max_bytes},
            {"currentBytes", heap.current_bytes},
            {"allocatedBytes", heap.allocated_bytes},
            {"allocatedObjects", heap.allocated_objects}};
  });
}

Json to_json(const HeapUsage& usage) {
  Json collectors = json_list(usage.collectors, [](const HeapUsage::Collector& one) -> Json {
    return {{"name", json_text(one.name)}, {"collections", one.collections}, {"ms", one.millis}};
  });
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
  Json runs = json_list(segment.runs(), [](const HeapRun& run) -> Json {
    return {{"solidity", static_cast<int>(solidity_of(run.state))},
            {"kind", static_cast<int>(kind_of(run.state))},
            {"units", run.units}};
  });
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
  Json records = json_list(heap.records, [&](const NativeHeap::Record& record) -> Json {
    const auto place = [&](std::uint64_t pc) { return json_text(places.of(pc)); };
    return {{"size", record.size},
            {"count", record.count},
            {"backtrace", json_list(record.backtrace, place)}};
  });
  return {{"totalBytes", heap.total_bytes}, {"depth", heap.depth}, {"records", std::move(records)}};
}

Json to_json(const Allocations& allocations) {
  const auto frame = [&](const Allocations::Frame& one) {
    return frame_json(allocations.classes[one.class_index], allocations.methods[one.method_index],
                      allocations.files[one.file_index], one.line);
  };
  return json_list(allocations.entries, [&](const Allocations::Entry& entry) -> Json {
    return {{"class", json_text(allocations.classes[entry.class_index])},
            {"size", entry.bytes},
            {"thread", entry.thread_id},
            {"stack", json_list(allocations.frames_of(entry), frame)}};
  });
}

template <typename Message>
std::optional<Json> decoded(ByteSpan data) {
  const auto message = decode<Message>(data);
  if (!message) return {};
  return to_json(*message);
}

// THST's two layouts: the table that servers poll, and the periodic list of 2007.
std::optional<Json> thread_status(ByteSpan data) {
  if (auto table = decoded<ThreadStatusTable>(data)) return table;
  return decoded<ThreadStatusList>(data);
}

using Decoder = std::optional<Json> (*)(ByteSpan);

template <typename... Messages>
std::map<ChunkType, Decoder> decoders_of() {
  return {{Messages::kType, decoded<Messages>}...};
}

std::map<ChunkType, Decoder> all_decoders() {
  auto table = decoders_of<HelloReply, Features, AppName, Waiting, Fail, ThreadCreated,
                           ThreadRenamed, ThreadDied, ThreadStack, HeapInfo, HeapUsage, HeapStart,
                           HeapEnd, NativeHeapStart, NativeHeapEnd, TrackingState, ProfilingState,
                           HeapDumpReply, TraceToFileReply, NativeHeap>();
  table[ThreadStatusTable::kType] = thread_status;
  table[kAllocations] = decoded<Allocations>;
  for (const ChunkType type : {kMergedSegment, kObjectSegment, kNativeSegment}) {
    table[type] = decoded<HeapSegment>;
  }
  return table;
}

}  // namespace

std::optional<Json> chunk_to_json(const Chunk& chunk) {
  static const std::map<ChunkType, Decoder> decoders = all_decoders();
  const auto found = decoders.find(chunk.type);
  return found != decoders.end() ? found->second(chunk.data) : std::nullopt;
}

Json stack_json(const std::vector<ThreadStack::Frame>& stack) {
  return json_list(stack, [](const ThreadStack::Frame& frame) {
    return frame_json(frame.class_name, frame.method, frame.file, frame.line);
  });
}

std::string frame_line(const ThreadStack::Frame& frame) {
  return printable_format("    at {}.{}({})\n", frame.class_name, frame.method,
                          place_text(frame.file, frame.line == 0 ? kLineUnknown : frame.line));
}

std::string_view thread_state_name(ThreadState state) {
  constexpr std::string_view kNames[] = {"zombie", "running", "timed-wait", "monitor", "wait",
                                         "init",   "start",   "native",     "vmwait",  "suspended"};
  const auto number = static_cast<std::size_t>(state);
  return number < std::size(kNames) ? kNames[number] : "unknown";
}

}  // namespace ddm
