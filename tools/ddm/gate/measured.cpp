#include "gate/measured.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/file_descriptor.h"
#include "core/whole_text.h"
#include "site_figures.h"
#include "stack/names/first_use.h"

namespace ddm {
namespace {

// "OpenJDK 64-Bit Server VM 17.0.21+9", "... v17.0.21": 17.
int jdk_of(std::string_view vm) {
  const std::size_t blank = vm.rfind(' ');
  std::string_view version = blank == std::string_view::npos ? vm : vm.substr(blank + 1);
  if (version.starts_with('v')) version.remove_prefix(1);
  return number_in<int>(version.substr(0, version.find_first_not_of("0123456789"))).value_or(0);
}

// A name is a line of a baseline: control characters are escaped.
std::string site_name(const std::string& class_name, const Json& stack) {
  const FrameName frame = first_outside_jdk(stack);
  return printable(class_name + " @ " +
                   (frame.known() ? frame.class_name + "." + frame.method : "(no Java frame)"));
}

// The lines of a report up to its records, which are not looked at.
std::optional<Error> read_sites(std::istream& lines, const std::string& below, Measured& measured) {
  constexpr std::string_view kRecord = R"({"type":"record")";
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.starts_with(kRecord)) return {};
    const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) return Error{fmt::format("line {} is no JSON object", number)};
    const std::string type = text_of(object, "type");
    if (number == 1) {
      if (type != "summary") return Error{"its first line is no summary"};
      if (!object.contains("sites")) return Error{"it was written with sites=0"};
      if (number_of(object, "interval") > 0) {
        return Error{"its figures are estimates (interval=), which are other ones each time"};
      }
      measured.jdk = jdk_of(text_of(object, "vm"));
    }
    if (type != "site" || (!below.empty() && !stands_below(object, below))) continue;
    MeasuredSite site{text_of(object, "class"),
                      {number_of(object, "count"), number_of(object, "bytes")},
                      object.value("stack", Json::array())};
    const bool once = std::ranges::any_of(site.stack, [](const Json& frame) {
      return is_of_first_use(text_of(frame, "class"), text_of(frame, "method"));
    });
    if (once) {
      measured.first_use.objects += site.amount.objects;
      measured.first_use.bytes += site.amount.bytes;
      continue;
    }
    const std::string name = site_name(site.class_name, site.stack);
    Amount& all = measured.amounts[name];
    all.objects += site.amount.objects;
    all.bytes += site.amount.bytes;
    measured.sites[name].push_back(std::move(site));
  }
  return {};
}

// What the listener leaves beside its list, {"test":,"class":,"count":,"bytes":,"stack":[...]} a line.
void read_sites_of_tests(const std::string& path, Measured& measured) {
  std::ifstream lines(path + ".sites.jsonl");
  for (std::string line; std::getline(lines, line);) {
    const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) continue;
    measured.sites[text_of(object, "test")].push_back(
        {text_of(object, "class"),
         {number_of(object, "count"), number_of(object, "bytes")},
         object.value("stack", Json::array())});
  }
}

}  // namespace

Result<Measured> read_measured(const std::string& path, const std::string& below) {
  std::ifstream file(path);
  if (!file) return errno_error(path);
  Measured measured;
  measured.by_site = file.peek() == '{';
  if (measured.by_site) {
    if (auto wrong = read_sites(file, below, measured)) {
      return Error{path + " is no jsonl report to compare: " + wrong->message};
    }
  } else {
    std::stringstream text;
    text << file.rdbuf();
    const auto list = Baseline::parse(text.str());
    if (!list) return Error{path + ": " + list.message()};
    measured.jdk = list->jdk();
    measured.amounts = list->of(measured.jdk);
    read_sites_of_tests(path, measured);
  }
  for (auto& [name, sites] : measured.sites) {
    std::stable_sort(sites.begin(), sites.end(),
                     [](const auto& a, const auto& b) { return a.amount.bytes > b.amount.bytes; });
  }
  return measured;
}

}  // namespace ddm
