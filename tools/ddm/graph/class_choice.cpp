#include "graph/class_choice.h"

#include <algorithm>
#include <set>

#include "output.h"

namespace ddm {
namespace {

constexpr std::size_t kNamed = 5;

bool ends_in(std::string_view name, std::string_view wanted) {
  if (name.size() <= wanted.size() || !name.ends_with(wanted)) return false;
  const char before = name[name.size() - wanted.size() - 1];
  return before == '.' || before == '$';
}

std::string name_list(const std::set<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(printable(name));
  return listed(shown, kNamed, ", and ");
}

}  // namespace

Result<ClassChoice> choose_class(const HeapGraph& graph, std::string_view wanted) {
  std::set<std::string> whole, by_end, alike;
  std::vector<std::string> names(graph.classes());
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    names[i] = graph.class_name(i);
    if (names[i] == wanted) whole.insert(names[i]);
    if (ends_in(names[i], wanted)) by_end.insert(names[i]);
    if (names[i].find(wanted) != std::string::npos) alike.insert(names[i]);
  }
  const std::set<std::string>& meant = !whole.empty() ? whole : by_end;
  const std::string quoted = "'" + printable(wanted) + "'";
  if (meant.size() > 1) return Error{quoted + " may be " + name_list(meant)};
  if (meant.empty()) {
    return Error{"there is no class " + quoted + " in the heap dump" +
                 (alike.empty() ? std::string() : "; there are " + name_list(alike))};
  }
  ClassChoice choice{*meant.begin(), {}};
  std::vector<bool> is_meant(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) is_meant[i] = names[i] == choice.name;
  for (ObjectNumber object = 0; object < graph.size(); ++object) {
    if (is_meant[graph.class_of(object)] && !graph.is_class(object))
      choice.objects.push_back(object);
  }
  return choice;
}

}  // namespace ddm
