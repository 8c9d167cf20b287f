#include "gate/measured.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/file_descriptor.h"
#include "core/whole_text.h"
#include "gate/pprof_sites.h"
#include "jvm_process.h"
#include "report/report_words.h"
#include "site_figures.h"
#include "site_lines.h"
#include "stack/names/first_use.h"
#include "stack/names/jdk_classes.h"
#include "text_pieces.h"

namespace ddm {
namespace {

constexpr int kGzipFirst = 0x1f;  // RFC 1952, 2.3.1
// Of what is read whole: a pipe may have no end.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

// A name is a line of a baseline: control characters are escaped.
std::string site_name(const std::string& class_name, const Json& stack) {
  const FrameName frame = first_outside_jdk(stack);
  return printable(without_number(class_name) + std::string(kSiteAt) +
                   (frame.known() ? without_number(frame.class_name + "." + frame.method)
                                  : std::string(kNoJavaFrame)));
}

bool is_first_use_or_wait(const std::string& object_class, const Json& stack) {
  ByTiming waiting = ByTiming::kNo;
  for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
    const std::string class_name = text_of(*frame, "class"), method = text_of(*frame, "method");
    if (is_first_use(class_name, method)) return true;
    waiting = is_program_under_test(class_name)
                  ? ByTiming::kNo
                  : waiting_within(waiting, waiting_of(class_name, method));
  }
  return waiting != ByTiming::kNo &&
         is_by_timing(waiting, object_class, text_of(stack.front(), "class"));
}

// "TEST: Class" of "TEST: Class @ package.Class.method".
std::string class_part(const std::string& name) { return name.substr(0, site_at(name)); }

Amount growth_of(const std::string& name, const Amounts& before, const Amounts& now) {
  const auto known = before.find(name);
  const Amount then = known != before.end() ? known->second : Amount(), here = now.at(name);
  return {here.objects - then.objects, here.bytes - then.bytes};
}

// A site as jsonl has it. `below`: see read_measured().
void add_site(const Json& object, const std::string& below, Measured& measured) {
  const auto wanted = below.empty() ? true : is_below(object, below);
  if (wanted == false) return;
  MeasuredSite site{text_of(object, "class"),
                    {number_of(object, "count"), number_of(object, "bytes")},
                    object.value("stack", Json::array())};
  const bool first_use = is_first_use_or_wait(site.class_name, site.stack);
  if (!wanted) {
    if (!first_use) measured.cut_bytes += site.amount.bytes;
    return;
  }
  if (first_use) {
    measured.first_use += site.amount;
    return;
  }
  const std::string name = site_name(site.class_name, site.stack);
  measured.amounts[name] += site.amount;
  measured.sites[name].push_back(std::move(site));
}

// The lines of a report but for its records, which are not parsed.
std::optional<Error> read_sites(std::istream& lines, const std::string& below, Measured& measured) {
  SiteLines site_lines;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.starts_with(kRecordLine)) continue;
    const Json object = parsed_json(line);
    if (!object.is_object()) return Error{fmt::format("line {} is no JSON object", number)};
    const std::string type = text_of(object, "type");
    if (number == 1) {
      if (type != "summary") return Error{"its first line is no summary"};
      if (!object.contains("sites")) return Error{"it has no sites: " + why_no_sites(object)};
      if (number_of(object, "interval") > 0) {
        return Error{"its figures are estimates (interval=), which are other ones each time"};
      }
      if (object.contains("seen_at_least"))
        return Error{std::string("its figures are ").append(kLowerBounds)};
      measured.jdk = jdk_of(text_of(object, "vm"));
      measured.engine = text_of(object, "engine");
      measured.below = text_of(object, "below");
      measured.cut_bytes = number_of(object, "below_unknown_bytes");
    }
    if (type == "summary") {
      if (auto second = site_lines.summary(object)) return second;
    }
    if (type != "site") continue;
    site_lines.site(object);
    add_site(object, below, measured);
  }
  return site_lines.check();
}

// The file that the listener writes beside its list (agent/adapters/test_kit/site_lines.h). In
// files of earlier versions the stacks consist of frames, not of their numbers.
void read_sites_of_tests(const std::string& path, Measured& measured) {
  std::ifstream lines(path + ".sites.jsonl");
  std::unordered_map<std::int64_t, Json> frames;
  for (std::string line; std::getline(lines, line);) {
    Json object = parsed_json(line);
    if (!object.is_object()) continue;
    if (object.contains("frame")) {
      const std::int64_t number = number_of(object, "frame");
      object.erase("frame");
      frames[number] = std::move(object);
      continue;
    }
    Json stack = object.value("stack", Json::array());
    for (Json& frame : stack) {
      if (!frame.is_number_integer()) continue;
      const auto known = frames.find(frame.get<std::int64_t>());
      frame = known != frames.end() ? known->second : Json::object();
    }
    measured.sites[text_of(object, "test")].push_back(
        {text_of(object, "class"),
         {number_of(object, "count"), number_of(object, "bytes")},
         std::move(stack)});
  }
}

}  // namespace

Amounts sites_of_tests(const Measured& measured) {
  Amounts amounts;
  for (const auto& [test, sites] : measured.sites) {
    for (const MeasuredSite& site : sites) {
      amounts[test + ": " + site_name(site.class_name, site.stack)] += site.amount;
    }
  }
  return amounts;
}

void sort_sites_by_growth(Measured& measured, const Amounts& before) {
  const Amounts now = sites_of_tests(measured);
  const Amounts classes = added_up(now, class_part), classes_before = added_up(before, class_part);
  for (auto& [test, sites] : measured.sites) {
    const auto growth = [&, of = test + ": "](const MeasuredSite& site) {
      const std::string name = of + site_name(site.class_name, site.stack);
      const Amount own = growth_of(name, before, now);
      const Amount all = growth_of(class_part(name), classes_before, classes);
      return std::tuple(std::min(own.bytes, all.bytes), std::min(own.objects, all.objects),
                        own.bytes, own.objects);
    };
    std::ranges::stable_sort(sites, std::greater<>(), growth);
  }
}

bool is_report(std::istream& file) {
  const int first = file.peek();
  return first == kGzipFirst || first == '{';
}

Result<Measured> read_measured(const std::string& path, const std::string& below) {
  if (auto device = refused_as_device(path)) return *device;
  std::ifstream file(path);
  if (!file) return errno_error(path);
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) {
    return Error{path + " is a directory; what is compared is a report or a list of tests in it"};
  }
  const int first = file.peek();
  // A list without tests has its first line: a run that failed leaves an empty file.
  if (first == std::ifstream::traits_type::eof()) return Error{path + " is empty"};
  const bool packed = first == kGzipFirst || path.ends_with(".pb.gz");
  Measured measured;
  measured.by_site = packed || is_report(file) || path.ends_with(".jsonl");
  if (packed) {
    const auto bytes = rest_of(file, kMostBytes);
    if (!bytes) return Error{path + " is larger than a profile can be"};
    const auto read = read_pprof_sites(*bytes);
    if (!read) return Error{path + " is no profile to compare: " + read.message()};
    measured.jdk = jdk_of(read->vm);
    for (const Json& site : read->sites) add_site(site, below, measured);
  } else if (measured.by_site) {
    if (auto wrong = read_sites(file, below, measured)) {
      return Error{path + " is no jsonl report to compare: " + wrong->message};
    }
  } else {
    const auto text = rest_of(file, kMostBytes);
    if (!text) return Error{path + " is larger than a list of tests can be"};
    const auto list = Baseline::parse(*text);
    if (!list) return Error{path + ": " + list.message()};
    if (!text->ends_with('\n')) return Error{path + " is cut: its last line has no end"};
    measured.jdk = list->jdk();
    measured.amounts = list->of(measured.jdk);
    read_sites_of_tests(path, measured);
  }
  for (auto& [name, sites] : measured.sites) {
    std::ranges::stable_sort(sites, std::greater<>(),
                             [](const MeasuredSite& site) { return site.amount.bytes; });
  }
  return measured;
}

}  // namespace ddm
