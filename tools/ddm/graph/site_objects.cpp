#include "graph/site_objects.h"

#include "json_values.h"
#include "site_figures.h"
#include "stack/names/name_table.h"

namespace ddm {
namespace {

void add_frame(std::string& text, const std::string& class_name, const std::string& method,
               const std::string& signature, std::int64_t line) {
  if (method == kFramesLeftOut) return;
  text += class_name + '.' + method + signature + ':' + std::to_string(line) + '\n';
}

}  // namespace

const std::string& SiteObjects::text_of_stack(std::uint32_t trace) {
  const auto [text, fresh] = texts_.try_emplace(trace);
  if (fresh) {
    for (const DumpFrame& frame : graph_.names().stack(trace)) {
      add_frame(text->second, frame.name.class_name, frame.name.method, frame.signature,
                frame.name.line);
    }
  }
  return text->second;
}

std::vector<ObjectNumber> SiteObjects::of(const std::string& class_name, const Json& stack) {
  std::string wanted;
  for (const Json& frame : stack) {
    add_frame(wanted, text_of(frame, "class"), text_of(frame, "method"),
              text_of(frame, "signature"), number_of(frame, "line"));
  }
  std::vector<bool> is_meant(graph_.classes());
  for (std::uint32_t i = 0; i < is_meant.size(); ++i) {
    is_meant[i] = graph_.class_name(i) == class_name;
  }
  std::vector<ObjectNumber> found;
  for (ObjectNumber object = 0; object < graph_.size(); ++object) {
    if (!is_meant[graph_.class_of(object)] || graph_.is_class(object)) continue;
    if (text_of_stack(graph_.trace_of(object)) == wanted) found.push_back(object);
  }
  return found;
}

}  // namespace ddm
