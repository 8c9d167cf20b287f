#include "graph/object_choice.h"

#include <algorithm>
#include <set>

#include "stack/names/name_table.h"

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

void add_frame(std::string& text, const std::string& class_name, const std::string& method,
               const std::string& signature, std::int64_t line, std::int64_t bci) {
  if (method == kFramesLeftOut) return;
  text += class_name + '.' + method + signature + ':' + std::to_string(line) + '@' +
          std::to_string(bci) + '\n';
}

}  // namespace

Result<ClassChoice> choose_class(const HeapGraph& graph, std::string_view wanted) {
  std::set<std::string> whole, by_end, in_source, alike;
  for (std::uint32_t i = 0; i < graph.classes(); ++i) {
    const std::string name = graph.class_name(i);
    if (name == wanted) whole.insert(name);
    if (ends_in(name, wanted)) by_end.insert(name);
    if (name.find(wanted) != std::string::npos) alike.insert(name);
    // As source code has it: shop.Cart.Row for shop.Cart$Row.
    std::string dotted = name;
    std::ranges::replace(dotted, '$', '.');
    if (dotted == wanted || ends_in(dotted, wanted)) in_source.insert(name);
  }
  const std::set<std::string>& meant = !whole.empty()    ? whole
                                       : !by_end.empty() ? by_end
                                                         : in_source;
  const std::string quoted = "'" + printable(wanted) + "'";
  if (meant.size() > 1) return Error{quoted + " may be " + name_list(meant)};
  if (meant.empty()) {
    return Error{"there is no class " + quoted + " in the heap dump" +
                 (alike.empty() ? std::string() : "; there are " + name_list(alike))};
  }
  return ClassChoice{*meant.begin(), graph.objects_of(*meant.begin())};
}

const std::string& SiteObjects::text_of_stack(std::uint32_t trace) {
  const auto [text, fresh] = texts_.try_emplace(trace);
  if (fresh) {
    for (const DumpFrame& frame : graph_.names().stack(trace)) {
      add_frame(text->second, frame.name.class_name, frame.name.method, frame.signature,
                frame.name.line, frame.bci);
    }
  }
  return text->second;
}

std::vector<ObjectNumber> SiteObjects::of(const std::string& class_name, const Json& stack) {
  std::string wanted;
  for (const Json& frame : stack) {
    add_frame(wanted, text_of(frame, "class"), text_of(frame, "method"),
              text_of(frame, "signature"), number_of(frame, "line"), number_of(frame, "bci"));
  }
  std::vector<ObjectNumber> objects = graph_.objects_of(class_name);
  std::erase_if(objects, [&](ObjectNumber object) {
    return text_of_stack(graph_.trace_of(object)) != wanted;
  });
  return objects;
}

}  // namespace ddm
