#include "gate/findings.h"

#include <filesystem>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json_values.h"
#include "report/report_words.h"
#include "site_figures.h"

namespace ddm {
namespace {

constexpr std::string_view kEngineVm = "vm";
constexpr std::size_t kMaxLines = 20, kSitesShown = 3, kGateFrames = 6;

std::string with_change(std::int64_t now, std::int64_t before) {
  const std::int64_t more = now - before;
  return fmt::format("{} ({}{})", grouped(now), more > 0 ? "+" : "", grouped(more));
}

std::string amounts_text(const Changed& changed) {
  return fmt::format("{} objects, {} bytes",
                     with_change(changed.now.objects, changed.before.objects),
                     with_change(changed.now.bytes, changed.before.bytes));
}

const std::vector<MeasuredSite>& sites_of(const Findings& findings, const std::string& name) {
  static const std::vector<MeasuredSite> none;
  const auto sites = findings.now->sites.find(name);
  return sites != findings.now->sites.end() ? sites->second : none;
}

void append_sites(std::string& text, const Findings& findings, const std::string& name) {
  const auto& sites = sites_of(findings, name);
  for (std::size_t i = 0; i < std::min(sites.size(), kSitesShown); ++i) {
    const MeasuredSite& site = sites[i];
    text += printable_format("    {}: {}, {} bytes\n", site.class_name,
                             counted(site.amount.objects, "object"), grouped(site.amount.bytes));
    for (std::size_t f = 0; f < std::min(site.stack.size(), kGateFrames); ++f) {
      text += printable_format("        {} {}\n", f == 0 ? "at" : "by",
                               frame_text(frame_of(site.stack[f])));
    }
  }
  if (sites.size() > kSitesShown) {
    const auto more = static_cast<std::int64_t>(sites.size() - kSitesShown);
    text += fmt::format("    and {} more\n", counted(more, "site"));
  }
}

void append_list(std::string& text, const Findings& findings, const std::vector<Changed>& list,
                 std::string_view title, bool with_sites) {
  for (std::size_t i = 0; i < std::min(list.size(), kMaxLines); ++i) {
    if (i == 0) text += "\n";
    const std::string line = printable_format("{}: {}", title, change_text(list[i]));
    text += line.size() <= kColumns
                ? line + "\n"
                : printable_format("{}: {}\n    {}\n", title, list[i].name, amounts_text(list[i]));
    if (with_sites) append_sites(text, findings, list[i].name);
  }
  if (list.size() > kMaxLines) {
    text += fmt::format("{}: {} more; --json has all\n", title, grouped(list.size() - kMaxLines));
  }
}

std::string gate_head(const Findings& findings) {
  const Comparison& changes = findings.changes;
  return fmt::format("{} grew, {} new, {} shrank, {} gone, {} as in {}", changes.grown.size(),
                     changes.added.size(), changes.shrunk.size(), changes.removed.size(),
                     changes.same, findings.baseline);
}

Json changes_json(const Findings& findings, const std::vector<Changed>& list, bool with_sites) {
  return json_list(list, [&](const Changed& one) {
    Json object = {{"name", json_text(one.name)},
                   {"objects_before", one.before.objects},
                   {"objects", one.now.objects},
                   {"bytes_before", one.before.bytes},
                   {"bytes", one.now.bytes}};
    if (!with_sites) return object;
    object["sites"] = json_list(sites_of(findings, one.name), [](const MeasuredSite& site) -> Json {
      return {{"class", json_text(site.class_name)},
              {"count", site.amount.objects},
              {"bytes", site.amount.bytes},
              {"stack", site.stack}};
    });
    return object;
  });
}

std::vector<const Changed*> failures(const Findings& findings) {
  std::vector<const Changed*> all;
  for (const Changed& one : findings.changes.grown) all.push_back(&one);
  if (findings.new_fails) {
    for (const Changed& one : findings.changes.added) all.push_back(&one);
  }
  return all;
}

// The files below the working directory, by name; read when the first is asked for. Hidden
// directories and build output are skipped; below "src" those are packages.
class SourceFiles {
 public:
  // "" if there is none.
  std::string path_of(const FrameName& frame) {
    if (!read_) read_all();
    std::string wanted = frame.class_name.substr(0, frame.class_name.rfind('.') + 1);
    for (char& c : wanted) c = c == '.' ? '/' : c;
    wanted = "/" + wanted + frame.file;
    const auto found = by_name_.find(frame.file);
    if (found == by_name_.end()) return {};
    for (const std::string& path : found->second) {
      if (path.ends_with(wanted)) return path.substr(2);  // without "./"
    }
    return {};
  }

 private:
  void read_all() {
    namespace fs = std::filesystem;
    constexpr std::size_t kMaxSeen = 200'000;
    read_ = true;
    std::error_code wrong;
    std::size_t seen = 0;
    for (fs::recursive_directory_iterator
             at(".", fs::directory_options::skip_permission_denied, wrong),
         end;
         !wrong && at != end && seen < kMaxSeen; at.increment(wrong), ++seen) {
      const std::string name = at->path().filename();
      const bool directory = at->is_directory(wrong);
      const bool is_output = (name == "target" || name == "build") &&
                             at->path().string().find("/src/") == std::string::npos;
      if (directory && (name.starts_with('.') || is_output)) at.disable_recursion_pending();
      if (!directory) by_name_[name].push_back(at->path());
    }
  }

  std::unordered_map<std::string, std::vector<std::string>> by_name_;
  bool read_ = false;
};

// The class and the method of a test; the method of a site and the class that it allocates.
std::pair<std::string, std::string> split_name(const std::string& name) {
  if (const std::size_t at = site_at(name); at != std::string::npos) {
    return {name.substr(at + kSiteAt.size()), name.substr(0, at)};
  }
  const std::size_t dot = name.rfind('.', name.find_first_of("(["));
  if (dot == std::string::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

// The text as the message of a workflow command.
std::string escaped_for_annotation(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '%') {
      result += "%25";
    } else if (c == '\n') {
      result += "%0A";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string change_text(const Changed& changed) {
  return printable_format("{}: {}", changed.name, amounts_text(changed));
}

std::string findings_text(const Findings& findings) {
  const Comparison& changes = findings.changes;
  std::string text = gate_head(findings) + "\n";
  if (const Amount& once = findings.now->first_use; once.objects > 0) {
    text += fmt::format("not compared: {} objects, {} bytes of first uses (classes, linkage)\n",
                        grouped(once.objects), grouped(once.bytes));
  }
  if (findings.baseline_covers_more) {
    text +=
        printable_format("{} was made without --below {} and covers more, which is not compared\n",
                         findings.baseline, findings.below);
  }
  if (findings.now->engine == kEngineVm) {
    text += "engine=vm: without what the JIT optimises away, which changes from run to run\n";
  }
  append_list(text, findings, changes.grown, "grew", true);
  append_list(text, findings, changes.added, "new", findings.new_fails);
  append_list(text, findings, changes.removed, "gone", false);
  std::vector<Changed> high;
  for (const Changed& one : changes.shrunk) {
    if (is_far_too_high(one)) high.push_back(one);
  }
  append_list(text, findings, high, "less than half of the baseline", false);
  if (findings.failed() || !changes.added.empty() || !high.empty()) {
    text += "\n";
    if (findings.now->by_site && findings.failed() && findings.measured.ends_with(".jsonl")) {
      text += printable_format(
          "`ddm allocs --diff {} {} -o difference.html` draws it in two colours\n",
          findings.of_reports ? findings.baseline : "BEFORE.sites.jsonl", findings.measured);
    }
    if (findings.of_reports || findings.baseline_covers_more) return text;
    text += printable_format("`ddm gate {} --baseline {}{}{} --update` makes this the baseline\n",
                             findings.measured, findings.baseline,
                             findings.below.empty() ? "" : " --below ", findings.below);
  }
  return text;
}

Json findings_json(const Findings& findings) {
  const Comparison& changes = findings.changes;
  return {{"grown", changes_json(findings, changes.grown, true)},
          {"shrunk", changes_json(findings, changes.shrunk, false)},
          {"new", changes_json(findings, changes.added, true)},
          {"gone", changes_json(findings, changes.removed, false)}};
}

std::string findings_markdown(const Findings& findings) {
  std::string text = fmt::format("### Allocations: {}\n\n", gate_head(findings));
  const auto table = [&](const std::vector<Changed>& list, std::string_view what) {
    if (list.empty()) return;
    text += fmt::format("| {} | objects | before | bytes | before |\n|---|---:|---:|---:|---:|\n",
                        what);
    for (const Changed& one : list) {
      std::string name = printable(one.name);
      for (std::size_t i = 0; (i = name.find('|', i)) != std::string::npos; i += 2) {
        name.insert(i, "\\");
      }
      text += fmt::format("| `{}` | {} | {} | {} | {} |\n", name, grouped(one.now.objects),
                          grouped(one.before.objects), grouped(one.now.bytes),
                          grouped(one.before.bytes));
    }
    text += "\n";
  };
  table(findings.changes.grown, "grew");
  table(findings.changes.added, "new");
  table(findings.changes.shrunk, "shrank");
  return text;
}

std::string findings_junit(const Findings& findings) {
  pugi::xml_document document;
  std::unordered_map<std::string_view, const Changed*> failing;
  for (const Changed* const one : failures(findings)) failing.emplace(one->name, one);
  auto suite = document.append_child("testsuite");
  suite.append_attribute("name") = "allocations";
  suite.append_attribute("tests") = static_cast<unsigned>(findings.now->amounts.size());
  suite.append_attribute("failures") = static_cast<unsigned>(failing.size());
  for (const auto& [name, amount] : findings.now->amounts) {
    auto one = suite.append_child("testcase");
    const auto [of, what] = split_name(name);
    one.append_attribute("classname") = of.c_str();
    one.append_attribute("name") = what.c_str();
    const auto failed = failing.find(name);
    if (failed == failing.end()) continue;
    std::string sites;
    append_sites(sites, findings, name);
    auto failure = one.append_child("failure");
    failure.append_attribute("message") = change_text(*failed->second).c_str();
    failure.append_child(pugi::node_pcdata).set_value(sites.c_str());
  }
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

std::string findings_annotations(const Findings& findings) {
  std::string text;
  SourceFiles sources;
  for (const Changed* const one : failures(findings)) {
    std::string place;
    for (const MeasuredSite& site : sites_of(findings, one->name)) {
      const FrameName frame = first_outside_jdk(site.stack);
      if (!frame.known() || frame.line <= 0) continue;
      const std::string path = sources.path_of(frame);
      place = printable_format(" file={},line={}", path.empty() ? frame.file : path, frame.line);
      break;
    }
    text += fmt::format("::error{}::{}\n", place,
                        escaped_for_annotation("allocates more: " + change_text(*one)));
  }
  return text;
}

}  // namespace ddm
