// What ddm top shows of one program: current rates by site and by thread, as the difference of two
// measurements.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ddm_client.h"
#include "site_rows.h"

namespace ddm {

struct SiteRates {
  SiteRow row;  // the difference; `ages` and `bytes_before` + `bytes`: as of the second measurement
  double bytes_per_second = 0, objects_per_second = 0;
  std::optional<double> died_percent;
};
struct ThreadRates {
  std::int64_t id = 0;
  std::string name;
  double cpu_percent = 0;
};

// Of the bytes of a site that were allocated, since tracking began, before the last collection: how
// many of a hundred that collection had found dead. None: there are none.
std::optional<double> died_percent(const SiteRow& row);

// Most bytes, objects or dead first; names in their order.
enum class TopSort { kBytes, kObjects, kDied, kClass, kAt };
// "bytes", "objects", "died", "class", "at". None: another word.
std::optional<TopSort> top_sort(std::string_view word);

struct ProgramRates {
  bool tracking = false;
  std::vector<SiteRates> sites;
  std::vector<ThreadRates> threads;  // most CPU first

  void sort(TopSort by);
};

struct TopView {
  TopSort sort = TopSort::kBytes;  // whose column is marked
  std::size_t top = 25;            // sites at most
  std::size_t width = kNoWidth;
  std::size_t lines = kNoWidth;  // that there is room for
};

// How many of `all` rows are shown in `lines`, of which a row takes `each`: at most `top`, and at
// least one. The last line tells that there are more.
std::size_t rows_shown(std::size_t all, std::size_t top, std::size_t lines, std::size_t each = 1);
// "... 7 more", and how to see them where all lines are there; "": there are none.
std::string more_line(std::size_t more, const TopView& view);

// The sites, an empty line, and some threads: where lines are few a third of these.
std::string program_text(const ProgramRates& rates, const TopView& view);

// The first line of a screen: what it shows, and the keys or what there is to say. `what` is
// shortened where there is no room, but a pid is not: the line is then longer than `width`.
std::string head_line(std::string_view what, bool paused, std::string_view rest, std::size_t width);

// Measures one program, one time after the other.
class RateMeter {
 public:
  explicit RateMeter(DdmClient& client) : client_(client) {}

  // The rates since the call before; after the first one there are none. The error: it does not
  // answer, or does not count its sites.
  Result<ProgramRates> measure(RowsBy by);

 private:
  DdmClient& client_;
  SiteFigures before_;
  std::map<std::int64_t, std::uint32_t> ticks_;
  std::chrono::steady_clock::time_point at_;
  bool first_ = true;
};

}  // namespace ddm
