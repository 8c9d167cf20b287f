// ddm heap: what lies where in the Java heap, as figures, as a map of letters, as a picture.
#include "command.h"
#include "ddm_client.h"
#include "heap_cells.h"
#include "heap_holes.h"
#include "heap_picture.h"
#include "output.h"
#include "report/report.h"
#include "report/report_words.h"
#include "target.h"
#include "wire/chunks/app_state.h"
#include "wire/chunks/fail.h"
#include "wire/chunks/heap_segments.h"
#include "wire/chunks/hello.h"

namespace ddm {
namespace {

using std::chrono::seconds;

// From another VM's collection to the end of its map.
constexpr seconds kMapTime{60};

// Of 4 GiB each: more than processors address.
constexpr std::uint32_t kMostSlices = 1 << 24;

constexpr std::size_t kRowCells = 48;
constexpr std::size_t kRows = 16;
// In the order of the columns.
constexpr std::string_view kLetters = "oc1248?n.";

struct HeapPicture {
  std::vector<HeapSegment> segments;
  bool by_object = false;  // runs are objects
};

// The last whole map among the events.
Result<HeapPicture> map_in(const std::deque<Chunk>& events) {
  HeapPicture map;
  HeapPicture whole;
  bool complete = false;
  for (const Chunk& event : events) {
    if (event.type == HeapStart::kType) map = {};
    if (event.type == kMergedSegment || event.type == kObjectSegment) {
      auto segment = HeapSegment::decode(event.data);
      if (!segment || segment->heap_id > kMostSlices) {
        return Error{"the target has sent a segment that does not add up"};
      }
      map.by_object = event.type == kObjectSegment;
      map.segments.push_back(std::move(*segment));
    }
    if (event.type == HeapEnd::kType) {
      whole = std::move(map);
      map = {};
      complete = true;
    }
  }
  if (!complete) return Error{"the target has sent no heap map"};
  return whole;
}

bool has_end(const std::deque<Chunk>& events) {
  for (const Chunk& event : events) {
    if (event.type == HeapEnd::kType) return true;
  }
  return false;
}

// As every DDM server gets one: after a collection.
Result<HeapPicture> map_after_collection(DdmClient& client) {
  const auto wish = [](SegmentsWhen when) { return to_chunk(HeapSegmentsRequest{{when, 0}}); };
  auto done = client.request(wish(SegmentsWhen::kEveryGc));
  if (done) done = client.request({kCollectGarbage, {}}, DdmClient::kLongWork);
  if (!done) return done.error();
  std::deque<Chunk> events = client.take_events();
  const auto deadline = std::chrono::steady_clock::now() + kMapTime;
  while (!has_end(events) && std::chrono::steady_clock::now() < deadline) {
    if (const auto error = client.listen(std::chrono::milliseconds(100))) return *error;
    for (Chunk& event : client.take_events()) events.push_back(std::move(event));
  }
  // A target that says no to that ends its maps with the connection, if not before.
  static_cast<void>(client.request(wish(SegmentsWhen::kNever)));
  return map_in(events);
}

Result<HeapPicture> read_map(DdmClient& client) {
  client.take_events();
  const auto done =
      client.ask(to_chunk(HeapSegmentsRequest{{SegmentsWhen::kNow, 1}}), DdmClient::kLongWork);
  if (!done) return done.error();
  // A target that knows no "now" has no words for it.
  const auto fail = done->type == Fail::kType ? Fail::decode(done->data) : std::nullopt;
  if (fail && !fail->message.empty()) return Error{fail->message};
  const std::deque<Chunk> events = client.take_events();
  if (has_end(events)) return map_in(events);
  return map_after_collection(client);  // "now" is our agent's own
}

struct Totals {
  HeapCell bytes;
  std::array<std::uint64_t, kHeapColumns> runs{};
};

Totals totals_of(const HeapPicture& map) {
  HeapTotals counted;
  for (const HeapSegment& segment : map.segments) counted.add(segment);
  Totals totals;
  for (std::size_t solidity = 0; solidity < 8; ++solidity) {
    for (std::size_t kind = 0; kind < 8; ++kind) {
      const std::size_t column = solidity == 0 ? kFreeColumn : kind;
      totals.bytes.bytes[column] += counted.by_solidity_and_kind[solidity][kind].bytes;
      totals.runs[column] += counted.by_solidity_and_kind[solidity][kind].runs;
    }
  }
  return totals;
}

std::string bytes_text(std::uint64_t bytes) {
  return human_bytes(static_cast<std::int64_t>(bytes));
}

void print_totals(const HeapPicture& map, const Totals& totals) {
  TextTable table({"KIND", map.by_object ? ">OBJECTS" : ">RUNS", ">BYTES", ">SHARE"});
  const std::uint64_t all = std::max<std::uint64_t>(totals.bytes.committed(), 1);
  const auto row = [&](std::string_view name, const std::string& runs, std::uint64_t bytes) {
    table.add(
        {std::string(name), runs, bytes_text(bytes),
         fmt::format("{:.1f} %", 100.0 * static_cast<double>(bytes) / static_cast<double>(all))});
  };
  for (std::size_t column = 0; column < kHeapColumns; ++column) {
    const std::uint64_t bytes = totals.bytes.bytes[column];
    if (bytes == 0 && column != kFreeColumn) continue;
    row(heap_column_name(column), column == kFreeColumn ? "" : std::to_string(totals.runs[column]),
        bytes);
  }
  row("committed", "", totals.bytes.committed());
  print(table.text());
}

void print_holes(const HeapHoles& holes) {
  if (holes.count == 0) return print("\nno holes: all that is committed is used\n");
  print("\n{} holes, {} in all, the largest {}\n", grouped(static_cast<std::int64_t>(holes.count)),
        bytes_text(holes.bytes), bytes_text(holes.largest));
  TextTable table({">HOLES", "OF AT LEAST"});
  for (auto size = holes.by_size.rbegin(); size != holes.by_size.rend(); ++size) {
    table.add({grouped(static_cast<std::int64_t>(size->second)), bytes_text(size->first)});
  }
  print(table.text());
}

HeapCell sum_of(const std::vector<HeapCell>& cells, std::size_t begin, std::size_t end) {
  HeapCell sum;
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t column = 0; column < kHeapColumns; ++column) {
      sum.bytes[column] += cells[i].bytes[column];
    }
  }
  return sum;
}

void print_map(const HeapPicture& map) {
  const HeapCells cells(map.segments, kRows * kRowCells);
  print(
      "\nOne letter = {}: the kind that has most of it (o objects, c classes,\n"
      "1 2 4 8 arrays by element size, ? unknown, . free, blank not committed).\n\n",
      bytes_text(cells.cell_bytes()));
  TextTable table({">FROM", ">USED", "MAP"});
  const auto& all = cells.cells();
  for (std::size_t row = 0; row < all.size(); row += kRowCells) {
    const std::size_t end = std::min(row + kRowCells, all.size());
    std::string letters;
    for (std::size_t i = row; i < end; ++i) {
      letters += all[i].committed() == 0 ? ' ' : kLetters[all[i].main_column()];
    }
    const HeapCell sum = sum_of(all, row, end);
    if (sum.committed() == 0) continue;
    table.add({bytes_text(cells.begin() + row * cells.cell_bytes()),
               fmt::format("{:.0f} %", 100.0 * static_cast<double>(sum.used()) /
                                           static_cast<double>(sum.committed())),
               "|" + letters + "|"});
  }
  print(table.text());
}

void print_as_json(const HeapPicture& map, const Totals& totals, const HeapHoles& holes) {
  constexpr std::string_view kKeys[kHeapColumns] = {
      "object", "class", "array1", "array2", "array4", "array8", "unknown", "native", "free"};
  Json kinds = Json::object();
  for (std::size_t column = 0; column < kHeapColumns; ++column) {
    Json kind = {{"bytes", totals.bytes.bytes[column]}};
    if (map.by_object && column != kFreeColumn) kind["objects"] = totals.runs[column];
    kinds[std::string(kKeys[column])] = kind;
  }
  Json segments = Json::array();
  for (const HeapSegment& segment : map.segments) {
    HeapTotals counted;
    counted.add(segment);
    segments.push_back({{"heap", segment.heap_id},
                        {"start", segment.start},
                        {"bytes", std::uint64_t{segment.units} * segment.unit},
                        {"used", counted.used_bytes()}});
  }
  Json histogram = Json::array();
  for (const auto& [bytes, count] : holes.by_size) histogram.push_back({bytes, count});
  print_json({{"committed", totals.bytes.committed()},
              {"used", totals.bytes.used()},
              {"kinds", kinds},
              {"holes",
               {{"count", holes.count},
                {"bytes", holes.bytes},
                {"largest", holes.largest},
                {"histogram", std::move(histogram)}}},
              {"segments", segments}});
}

struct HeapOptions : TargetOptions {
  std::string path;
};

int heap(const HeapOptions& options) {
  const std::string& path = options.path;
  if (!path.empty() && !path.ends_with(".png")) {
    return misused("'" + path + "': a picture ends in .png");
  }
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  const auto hello = client->get<HelloReply>(to_chunk(HelloRequest{}));
  if (!hello) return refuse(hello.message());
  Progress progress("heap map");
  client->on_progress([&progress](std::size_t bytes) { progress.show(bytes); });
  const auto map = read_map(*client);
  if (!map) return refuse(map.message());
  const Totals totals = totals_of(*map);
  if (!path.empty()) {
    const std::string picture = heap_picture(
        fmt::format("{} (pid {}): {} of {} used", hello->app, hello->pid,
                    bytes_text(totals.bytes.used()), bytes_text(totals.bytes.committed())),
        map->segments);
    const std::string problem =
        picture.empty() ? "no memory for the picture" : write_report_file(path, picture);
    if (!problem.empty()) return refuse(problem);
  }
  if (options.json) {
    print_as_json(*map, totals, HeapHoles::of(map->segments));
    return kExitOk;
  }
  print_totals(*map, totals);
  print_holes(HeapHoles::of(map->segments));
  print_map(*map);
  if (!path.empty()) print("\nPicture written to {}\n", path);
  return kExitOk;
}

}  // namespace

void add_heap(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "heap", "Show what the Java heap holds, and where", heap);
  command.add_option("PID", options.target, kOnlyTargetHelp);
  command.add_option("-o", options.path, "Draw it as well: a file that ends in .png")
      ->type_name("FILE");
  command.add_flag("--json", options.json,
                   "{committed, used, kinds, holes: {count, bytes, largest, histogram: [[bytes, "
                   "count]...]}, segments}, bytes");
}

}  // namespace ddm
