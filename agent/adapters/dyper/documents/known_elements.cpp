#include "adapters/dyper/documents/known_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace ddm {
namespace {

// The elements that are allowed in an element, by its path from language and command. A path that
// is not listed allows none. MODEL includes PATCHMODEL, MODE includes DYPATCH_MODE.
struct Inside {
  std::string_view way;
  std::string_view elements;  // separated by ", "
};
constexpr std::string_view kModels = "MODEL, PATCHMODEL", kCode = "CODE, INSTRUCTION";
constexpr std::string_view kInCode = "ARG, CONDITION, RETURN, LOCAL";
constexpr Inside kInside[] = {
    {"DYPER/SET", "SETTINGS, VAR"},
    {"DYPER/SET/SETTINGS", "VAR"},
    {"DYPER/GET", "VAR"},
    {"DYPER/CLEAR", "CLEAR"},
    {"DYPER/SETDETAIL", "SETTINGS, DETAIL"},
    {"DYPER/SETDETAIL/SETTINGS", "DETAIL"},
    {"DYPER/CLASSES", "CLASSES"},
    {"DYPER/CLASSES/CLASSES", "PACKAGE, CLASS"},
    {"DYPER/GETCLASSES", "MATCH, CLASS"},
    {"DYPER/REPORT", "REPORT"},
    {"DYPER/CLASSMODEL", "OPTIONS, CLASS"},
    {"DYPER/AGENT", "AGENT"},
    {"DYPER/ACTIVATE", "ACTIVATE, DEACTIVATE"},
    {"DYPER/USETHREAD", "THREADS"},
    {"DYPER/USETHREAD/THREADS", "THREAD"},
    {"DYPER/DUMPHEAP", "DUMPHEAP"},
    {"DYPER/INSTRUMENT", kModels},
    {"DYPER/INSTRUMENT/MODEL", "PATCH, VAR, DETAIL"},
    {"DYPATCH/MODEL", kModels},
    {"DYPATCH/MODEL/MODEL", "FOR, CLASS, MODE, DYPATCH_MODE, DYPATCH_EXTERNAL"},
    {"DYPATCH/MODEL/MODEL/MODE", kCode},
    {"DYPATCH/MODEL/MODEL/MODE/CODE", kInCode},
    {"DYPATCH/MODEL/MODEL/FOR", "PATCH"},
    {"DYPATCH/MODEL/MODEL/FOR/PATCH", "WHEN, MODE, DYPATCH_MODE"},
    {"DYPATCH/MODEL/MODEL/FOR/PATCH/MODE", kCode},
    {"DYPATCH/MODEL/MODEL/FOR/PATCH/MODE/CODE", kInCode},
    {"DYPATCH/PATCH", "PATCH"},
    {"DYPATCH/PATCH/PATCH", "CLASS"},
    {"DYPATCH/ACTIVATE", kModels},
};
// Commands that do nothing without this element.
constexpr Inside kNeeded[] = {{"DYPER/SET", "VAR"},
                              {"DYPER/SETDETAIL", "DETAIL"},
                              {"DYPER/CLASSES", "CLASSES"},
                              {"DYPER/USETHREAD", "THREAD"}};
// Commands that are answered by an error, whatever they contain.
constexpr std::string_view kLeftOut[] = {"DYPER/DUMPMEMORY", "DYPATCH/ADDCLASS", "DYPATCH/EXIT"};

std::string_view elements_inside(std::string_view way) {
  const auto found = std::ranges::find(kInside, way, &Inside::way);
  return found != std::end(kInside) ? found->elements : "";
}

bool has_word(std::string_view words, std::string_view word) {
  return fmt::format(", {}, ", words).find(fmt::format(", {}, ", word)) != std::string::npos;
}

std::string_view usual_name(std::string_view element) {
  if (element == "PATCHMODEL") return "MODEL";
  if (element == "DYPATCH_MODE") return "MODE";
  return element;
}

// The number of known child elements; nullopt: there are no children.
std::optional<int> check(pugi::xml_node parent, const std::string& way, DyperErrors& errors) {
  const std::string_view elements = elements_inside(way);
  std::optional<int> known;
  for (const pugi::xml_node child : parent.children()) {
    if (child.type() != pugi::node_element) continue;
    known = known.value_or(0);
    const std::string_view name = child.name();
    if (has_word(elements, name)) {
      ++*known;
      check(child, way + '/' + std::string(usual_name(name)), errors);
    } else if (errors.size() < kMostErrors) {
      fail(errors, "ELEMENT", name,
           fmt::format("{} has no such element; it has {}", way,
                       elements.empty() ? "none" : elements));
    }
  }
  return known;
}

}  // namespace

bool check_elements(const DyperRequest& request, DyperErrors& errors) {
  std::string way = request.language == DyperLanguage::kDyper ? "DYPER/" : "DYPATCH/";
  way += usual_name(request.command);
  if (std::ranges::find(kLeftOut, way) != std::end(kLeftOut)) return true;
  const bool wanted = check(request.root, way, errors).value_or(1) > 0;
  const auto needed = std::ranges::find(kNeeded, way, &Inside::way);
  if (!errors.empty() || needed == std::end(kNeeded)) return wanted;
  const auto is_needed = [&](pugi::xml_node node) { return needed->elements == node.name(); };
  if (request.root.find_node(is_needed)) return true;
  fail(errors, "ELEMENT", needed->elements, way + " does nothing without this element");
  return false;
}

}  // namespace ddm
