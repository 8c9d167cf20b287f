#include "graph/root_names.h"

#include <vector>

#include "report/report_words.h"

namespace ddm {

bool is_variable(const HeapGraph::Root& root) {
  return root.kind == HprofReader::kJavaFrame || root.kind == HprofReader::kJniLocal ||
         root.kind == HprofReader::kMonitor || root.kind == HprofReader::kThreadBlock ||
         root.kind == HprofReader::kNativeStack;
}

RootNames::RootNames(HeapGraph& graph) : graph_(graph) {
  for (std::size_t i = 0; i < graph.roots().size(); ++i) {
    const auto [at, is_first] = roots_.try_emplace(graph.roots()[i].object, i);
    if (!is_first && is_variable(graph.roots()[at->second]) && !is_variable(graph.roots()[i])) {
      at->second = i;
    }
  }
}

RootName RootNames::of_static(const std::string& field) const {
  // HotSpot dumps the resolved constants of a class as a static field of this name.
  constexpr std::string_view kConstants = ".<resolved_references>";
  if (!field.ends_with(kConstants)) return {"static", "static " + field};
  return {"class", "constants of " + field.substr(0, field.size() - kConstants.size())};
}

RootName RootNames::of_object(ObjectNumber object) {
  const auto root = roots_.find(object);
  if (root != roots_.end() && graph_.roots()[root->second].kind != HprofReader::kStickyClass) {
    return of_root(graph_.roots()[root->second]);
  }
  return {"class", "class " + graph_.class_name(graph_.class_of(object))};
}

RootName RootNames::of_root(const HeapGraph::Root& root) {
  switch (root.kind) {
    case HprofReader::kJniGlobal:
      return {"jni", "JNI global reference"};
    case HprofReader::kThread:
      return {"thread", "", root.thread};
    case HprofReader::kMonitor:
      return {"monitor", "a monitor that is held"};
    case HprofReader::kJniLocal:
    case HprofReader::kJavaFrame:
      break;
    default:
      return {"other", "the VM"};
  }
  const bool native = root.kind == HprofReader::kJniLocal;
  std::string name = native ? "JNI local reference" : "local variable";
  const HeapGraph::Thread* const thread = graph_.thread(root.thread);
  const auto stack =
      thread != nullptr ? graph_.names().stack(thread->trace) : std::vector<DumpFrame>();
  if (root.frame < stack.size()) {
    const FrameName& frame = stack[root.frame].name;
    name += " of " + frame.class_name + "." + frame.method;
  }
  return {native ? "jni" : "local", name, root.thread};
}

bool RootNames::is_virtual(std::uint32_t serial) const {
  const HeapGraph::Thread* const thread = graph_.thread(serial);
  if (thread == nullptr || thread->object == HeapGraph::kNone) return false;
  return graph_.class_name(graph_.class_of(thread->object)) == "java.lang.VirtualThread";
}

std::string RootNames::text(const RootName& root, const std::string& name,
                            std::size_t count) const {
  if (!root.thread) return root.text;
  const std::string what = is_virtual(*root.thread) ? "virtual thread" : "thread";
  std::string text = root.text.empty() ? "" : root.text + ", ";
  if (count > 1) {
    text += counted(static_cast<std::int64_t>(count), what);
  } else {
    text += name.empty() ? "a " + what : what;
  }
  return name.empty() ? text : text + " \"" + name + '"';
}

}  // namespace ddm
