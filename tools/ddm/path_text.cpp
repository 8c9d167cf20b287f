#include "path_text.h"

#include "json_values.h"
#include "report/report_words.h"

namespace ddm {
namespace {

constexpr const char* kArrow = " -> ";
constexpr std::size_t kCountColumn = 10;

}  // namespace

Json paths_json(std::span<const RootPath> paths) {
  return json_list(paths, [](const RootPath& path) {
    Json one = {{"root", json_text(path.root)},
                {"kind", path.kind},
                {"via", json_texts(path.via)},
                {"count", path.count}};
    if (path.weak) one["weak"] = true;
    return one;
  });
}

std::string path_line(const RootPath& path) {
  std::string line = path.root;
  for (const std::string& step : path.via) line += kArrow + step;
  return line;
}

void print_paths(std::span<const RootPath> paths, std::size_t top, std::int64_t objects) {
  std::int64_t held = 0;
  const auto print_some = [&](bool weak) {
    std::size_t shown = 0, more = 0;
    std::int64_t of_more = 0;
    for (const RootPath& path : paths) {
      if (path.weak != weak) continue;
      held += path.count;
      if (shown == top) {
        ++more;
        of_more += path.count;
        continue;
      }
      if (shown++ == 0) {
        print(weak ? "\nheld by soft, weak or other references alone:\n" : "\n");
      }
      print(fmt::format("{:>{}}  {}\n", grouped(path.count), kCountColumn - 2,
                        wrapped(printable(path_line(path)), kCountColumn, output_width())));
    }
    if (more > 0) {
      print("{} more by {}; --top shows more\n", counted(of_more, "object"),
            counted(more, "other way"));
    }
  };
  print_some(false);
  print_some(true);
  if (objects > held) {
    print("\n");
    print_sentence(fmt::format("{}: {}", counted(objects - held, "object"), kNoPath));
  }
}

}  // namespace ddm
