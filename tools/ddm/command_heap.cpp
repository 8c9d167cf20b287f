// ddm heap: the contents of the Java heap by address, as figures, as a map of letters, as a
// picture, as a page; now, or after each of several collections.
#include "command.h"
#include "heap/heap_cells.h"
#include "heap/heap_maps.h"
#include "heap/heap_page.h"
#include "heap/heap_picture.h"
#include "heap/heap_sums.h"
#include "interrupt.h"
#include "json_values.h"
#include "report/report.h"
#include "report/report_words.h"
#include "wire/chunks/hello.h"

namespace ddm {
namespace {

constexpr std::size_t kRowCells = 48;
constexpr std::size_t kRows = 16;
// In the order of the columns.
constexpr std::string_view kLetters = "oc1248?n.";
constexpr std::string_view kNoPlaces =
    "\nno holes, no map: where objects lie is not known (ZGC, Shenandoah, unknown VMs)\n";

struct Totals {
  HeapCell bytes;
  std::array<std::uint64_t, kHeapColumns> runs{};
};

Totals totals_of(const std::vector<HeapSegment>& segments) {
  Totals totals;
  for (const HeapSegment& segment : segments) {
    for (const HeapRun& run : segment.runs()) {
      const std::size_t column = heap_column_of(run.state);
      totals.bytes.bytes[column] += run.units * segment.unit;
      ++totals.runs[column];
    }
  }
  return totals;
}

void print_totals(const HeapPicture& map, const Totals& totals) {
  TextTable table({"KIND", map.by_object ? ">OBJECTS" : ">RUNS", ">BYTES", ">SHARE"});
  const std::uint64_t all = std::max<std::uint64_t>(totals.bytes.committed(), 1);
  const auto row = [&](std::string_view name, const std::string& runs, std::uint64_t bytes) {
    table.add(
        {std::string(name), runs, human_bytes(bytes),
         fmt::format("{:.1f} %", 100.0 * static_cast<double>(bytes) / static_cast<double>(all))});
  };
  for (std::size_t column = 0; column < kHeapColumns; ++column) {
    const std::uint64_t bytes = totals.bytes.bytes[column];
    if (bytes == 0 && column != kFreeColumn) continue;
    row(heap_column_name(column), column == kFreeColumn ? "" : grouped(totals.runs[column]), bytes);
  }
  row("committed", "", totals.bytes.committed());
  print(table.text());
}

void print_holes(const HeapHoles& holes) {
  if (holes.count == 0) return print("\nno holes: all that is committed is used\n");
  print("\n{}, {} in all, the largest {}\n",
        counted(static_cast<std::int64_t>(holes.count), "hole"), human_bytes(holes.bytes),
        human_bytes(holes.largest));
  TextTable table({">HOLES", "OF AT LEAST"});
  for (auto size = holes.by_size.rbegin(); size != holes.by_size.rend(); ++size) {
    table.add({grouped(size->second), human_bytes(size->first)});
  }
  print(table.text());
}

void print_regions(const RegionSums& sums) {
  TextTable table({"REGIONS", ">COUNT", ">BYTES", ">USED"});
  bool any = false;
  for (std::size_t i = 0; i < RegionSums::kRoles; ++i) {
    const RegionSums::Sum& sum = sums.by_role[i];
    if (sum.regions == 0) continue;
    any = true;
    table.add({std::string(name_of(static_cast<RegionRole>(i))), grouped(sum.regions),
               human_bytes(sum.bytes), human_bytes(sum.used)});
  }
  if (!any) return;
  print("\n" + table.text());
  if (sums.of(RegionRole::kHumongous).regions != 0) {
    print("{} lost behind humongous objects, in the last region of each\n",
          human_bytes(sums.humongous_waste));
  }
  if (sums.widest_free != 0) {
    print("an object of {} fits into the committed heap: {} free in a row\n",
          human_bytes(sums.widest_free), counted(sums.widest_free_regions, "region"));
  }
}

void print_map(const HeapPicture& map) {
  const HeapCells cells(map.segments, kRows * kRowCells);
  print(
      "\nOne letter = {}: the kind that has most of it (o objects, c classes,\n"
      "1 2 4 8 arrays by element size, ? unknown, . free, blank not committed).\n\n",
      human_bytes(cells.cell_bytes()));
  TextTable table({">FROM", ">USED", "MAP"});
  const auto& all = cells.cells();
  for (std::size_t row = 0; row < all.size(); row += kRowCells) {
    const std::size_t end = std::min(row + kRowCells, all.size());
    std::string letters;
    HeapCell sum;
    for (std::size_t i = row; i < end; ++i) {
      sum += all[i];
      letters += all[i].committed() == 0 ? ' ' : kLetters[all[i].main_column()];
    }
    if (sum.committed() == 0) continue;
    table.add({human_bytes(cells.begin() + row * cells.cell_bytes()),
               fmt::format("{:.0f} %", 100.0 * static_cast<double>(sum.used()) /
                                           static_cast<double>(sum.committed())),
               "|" + letters + "|"});
  }
  print(table.text());
}

Json holes_json(const HeapHoles& holes) {
  Json histogram = Json::array();
  for (const auto& [bytes, count] : holes.by_size) histogram.push_back({bytes, count});
  return {{"count", holes.count},
          {"bytes", holes.bytes},
          {"largest", holes.largest},
          {"histogram", std::move(histogram)}};
}

Json heap_json(const HeapPicture& map) {
  constexpr std::string_view kKeys[kHeapColumns] = {
      "object", "class", "array1", "array2", "array4", "array8", "unknown", "native", "free"};
  const Totals totals = totals_of(map.segments);
  Json kinds = Json::object();
  for (std::size_t column = 0; column < kHeapColumns; ++column) {
    Json kind = {{"bytes", totals.bytes.bytes[column]}};
    if (map.by_object && column != kFreeColumn) kind["objects"] = totals.runs[column];
    kinds[std::string(kKeys[column])] = kind;
  }
  Json segments = json_list(map.segments, [](const HeapSegment& segment) -> Json {
    return {{"heap", segment.heap_id},
            {"start", segment.start},
            {"bytes", std::uint64_t{segment.units} * segment.unit},
            {"used", totals_of({segment}).bytes.used()}};
  });
  Json regions = json_list(map.regions, [](const HeapRegion& region) -> Json {
    return {{"at", region.position},
            {"bytes", region.bytes},
            {"role", name_of(region.role)},
            {"used", region.used}};
  });
  return {{"committed", totals.bytes.committed()},
          {"used", totals.bytes.used()},
          {"kinds", kinds},
          {"holes", map.places_known ? holes_json(HeapHoles::of(map.segments)) : Json(nullptr)},
          {"regions", std::move(regions)},
          {"humongous_waste", RegionSums::of(map.regions).humongous_waste},
          {"segments", std::move(segments)}};
}

struct HeapOptions : TargetOptions {
  std::string path;
  std::size_t watched = 0;  // collections
  bool live = false;
};

void print_heap(const HeapPicture& map) {
  print_totals(map, totals_of(map.segments));
  print_regions(RegionSums::of(map.regions));
  if (!map.places_known) return print(kNoPlaces);
  print_holes(HeapHoles::of(map.segments));
  print_map(map);
}

void print_frames(const std::vector<HeapFrame>& frames) {
  TextTable table(
      {">SECONDS", ">USED", ">COMMITTED", ">HOLES", ">LARGEST HOLE", ">HUMONGOUS WASTE"});
  for (const HeapFrame& frame : frames) {
    const Totals totals = totals_of(frame.map.segments);
    const HeapHoles holes = HeapHoles::of(frame.map.segments);
    table.add({fmt::format("{:.1f}", frame.seconds), human_bytes(totals.bytes.used()),
               human_bytes(totals.bytes.committed()),
               frame.map.places_known ? grouped(holes.count) : "-",
               frame.map.places_known ? human_bytes(holes.largest) : "-",
               human_bytes(RegionSums::of(frame.map.regions).humongous_waste)});
  }
  print(table.text());
  if (!frames.back().map.places_known) print(kNoPlaces);
}

// The maps that were asked for, at least one.
Result<std::vector<HeapFrame>> read_frames(const HeapOptions& options, DdmClient& client) {
  std::vector<HeapFrame> frames;
  if (options.watched == 0) {
    auto map = read_map(client, options.live);
    if (!map) return map.error();
    frames.push_back({0, std::move(*map)});
    return frames;
  }
  catch_interrupts();
  const auto begin = std::chrono::steady_clock::now();
  const auto wrong = watch_maps(client, options.watched, [&](HeapPicture map) {
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin;
    frames.push_back({since.count(), std::move(map)});
  });
  if (wrong && frames.empty()) return *wrong;
  if (frames.empty()) return Error{"ended before there was a collection"};
  const double first = frames.front().seconds;
  for (HeapFrame& frame : frames) frame.seconds -= first;
  return frames;
}

int heap(const HeapOptions& options) {
  const std::string& path = options.path;
  const bool as_page = path.ends_with(".html");
  if (!path.empty() && !as_page && !path.ends_with(".png")) {
    return misused("'" + path + "': a picture ends in .png, a page in .html");
  }
  if (const std::string problem = path.empty() ? "" : unwritable(path); !problem.empty()) {
    return refuse(problem);
  }
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  const auto hello = client->get<HelloReply>(to_chunk(HelloRequest{}));
  if (!hello) return refuse(hello.message());
  ask_for_regions(*client, as_page ? RegionDetail::kClasses : RegionDetail::kRegions);
  Progress progress(options.watched == 0
                        ? std::string("heap map")
                        : fmt::format("{} collections, Ctrl-C ends it", options.watched));
  client->on_progress([&progress](std::size_t bytes) { progress.show(bytes); });
  const auto frames = read_frames(options, *client);
  if (!frames) return refuse(frames.message());
  progress.clear();
  const HeapPicture& last = frames->back().map;
  if (!path.empty()) {
    const HeapCell totals = totals_of(last.segments).bytes;
    const std::string program = fmt::format("{} (pid {})", hello->app, hello->pid);
    const std::string picture =
        as_page
            ? heap_page("Java heap of " + program, *frames)
            : heap_picture(fmt::format("{}: {} of {} used{}", program, human_bytes(totals.used()),
                                       human_bytes(totals.committed()),
                                       last.places_known ? "" : "; where objects lie is not known"),
                           last.segments);
    if (picture.empty()) return refuse("no memory for the picture");
    if (const auto error = write_report_file(path, picture)) return refuse(error->message);
  }
  if (options.json && options.watched == 0) return print_json(heap_json(last));
  if (options.json) {
    return print_json(json_list(*frames, [](const HeapFrame& frame) {
      Json map = heap_json(frame.map);
      map["seconds"] = frame.seconds;
      return map;
    }));
  }
  if (options.watched == 0) {
    print_heap(last);
  } else {
    print_frames(*frames);
  }
  if (!path.empty()) print("\n{} written to {}\n", as_page ? "page" : "picture", path);
  return kExitOk;
}

}  // namespace

void add_heap(CLI::App& app, Command& chosen) {
  const auto [command, options] = add_command(
      app, chosen, "heap", "Show a map of the Java heap, by kind of object and region", heap);
  add_text(command, "PID", options.target, kTargetHelp);
  add_file(command, "-o", options.path,
           "Also write the map to a file: a picture (.png), or a page (.html) that shows the "
           "region and classes under the pointer");
  const auto live = add_flag(command, "--live", options.live,
                             "Run a full collection first, to show live objects only");
  const auto watch =
      add_number(command, "--watch", options.watched,
                 "Number of collections to wait for, with a map after each; a page has a slider", 1,
                 1000, "COLLECTIONS");
  exclude(watch, {live});
  add_flag(command, "--json", options.json,
           "{committed, used, kinds, holes: {count, bytes, largest, histogram: [[bytes, "
           "count]...]} or null, regions: [{at, bytes, role, used}], humongous_waste, segments}, "
           "bytes; with --watch an array of them, each with seconds");
}

}  // namespace ddm
