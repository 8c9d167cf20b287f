#include "heap/heap_page.h"

#include <algorithm>
#include <map>

#include "heap/heap_cells.h"
#include "heap/heap_sums.h"
#include "json_values.h"

namespace ddm {

extern const unsigned char kHeapPage[];
extern const std::size_t kHeapPageSize;

namespace {

constexpr std::size_t kMaxSquares = 8192;
constexpr std::string_view kDataMark = "@HEAP_DATA@";

// The kinds in each square: [column, bytes, column, bytes, ...].
Json squares_json(const HeapCells& cells) {
  return json_list(cells.cells(), [](const HeapCell& cell) {
    Json kinds = Json::array();
    for (std::size_t column = 0; column < kHeapColumns; ++column) {
      if (cell.bytes[column] == 0) continue;
      kinds.push_back(column);
      kinds.push_back(cell.bytes[column]);
    }
    return kinds;
  });
}

// The classes in each square, by its number: [class, objects, bytes, ...], most bytes first.
Json classes_json(const HeapClasses& heap_classes, std::uint64_t square,
                  std::map<std::string, int>& names) {
  std::map<std::uint64_t, std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>>> sums;
  for (const TileClass& tile : heap_classes.tiles) {
    if (tile.class_index >= heap_classes.classes.size()) continue;
    auto& [objects, bytes] = sums[tile.position / square][tile.class_index];
    objects += tile.objects;
    bytes += tile.bytes;
  }
  Json all = Json::object();
  for (const auto& [at, classes] : sums) {
    std::vector<std::pair<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>>> order(
        classes.begin(), classes.end());
    std::ranges::stable_sort(
        order, [](const auto& a, const auto& b) { return a.second.second > b.second.second; });
    Json row = Json::array();
    for (const auto& [index, sum] : order) {
      if (row.size() >= 18) break;
      const std::string& name = heap_classes.classes[index];
      row.push_back(names.try_emplace(name, static_cast<int>(names.size())).first->second);
      row.push_back(sum.first);
      row.push_back(sum.second);
    }
    all[std::to_string(at)] = std::move(row);
  }
  return all;
}

Json regions_json(const std::vector<HeapRegion>& regions) {
  return json_list(regions, [](const HeapRegion& region) -> Json {
    return {region.position, region.bytes, region.used, static_cast<int>(region.role)};
  });
}

}  // namespace

std::string heap_page(const std::string& title, const std::vector<HeapFrame>& frames) {
  // All frames have squares of one size, no smaller than the units in which classes are counted.
  std::uint64_t square = 1;
  for (const HeapFrame& frame : frames) {
    square = std::max({square, HeapCells(frame.map.segments, kMaxSquares).cell_bytes(),
                       std::min(frame.map.classes.tile_bytes, HeapCells::kMostBytes)});
  }
  std::map<std::string, int> names;
  Json rows = json_list(frames, [&](const HeapFrame& frame) -> Json {
    const HeapCells cells(frame.map.segments, kMaxSquares, square);
    const HeapHoles holes = HeapHoles::of(frame.map.segments);
    const RegionSums sums = RegionSums::of(frame.map.regions);
    return {{"seconds", frame.seconds},
            {"placed", frame.map.places_known},
            {"first", cells.begin() / square},
            {"squares", squares_json(cells)},
            {"regions", regions_json(frame.map.regions)},
            {"classes", classes_json(frame.map.classes, square, names)},
            {"holes", {holes.count, holes.bytes, holes.largest}},
            {"waste", sums.humongous_waste}};
  });
  std::vector<std::string> by_number(names.size());
  for (const auto& [name, number] : names) by_number[static_cast<std::size_t>(number)] = name;
  Json roles = Json::array(), kinds = Json::array();
  for (std::size_t i = 0; i < RegionSums::kRoles; ++i) {
    roles.push_back(name_of(static_cast<RegionRole>(i)));
  }
  for (std::size_t i = 0; i < kHeapColumns; ++i) kinds.push_back(heap_column_name(i));
  const Json data = {{"title", json_text(title)},        {"square", square},
                     {"kinds", std::move(kinds)},        {"roles", std::move(roles)},
                     {"classes", json_texts(by_number)}, {"frames", std::move(rows)}};
  std::string page(reinterpret_cast<const char*>(kHeapPage), kHeapPageSize);
  page.replace(page.find(kDataMark), kDataMark.size(), json_in_script(data));
  return page;
}

}  // namespace ddm
