#include "graph/root_paths.h"

#include <algorithm>
#include <tuple>

namespace ddm {
namespace {

constexpr std::uint32_t kNoStep = ~std::uint32_t{0};
// Chains may have as many links as there are objects, and each object a path of its own.
constexpr int kMostRounds = 3;         // of a chain whose links recur, in a path
constexpr std::uint32_t kPeriod = 32;  // links after which one may recur
constexpr std::uint32_t kMostSteps = 200;
// The first step of a path names its root: "S" and the static field, or "R" and the root's number.
constexpr char kStatic = 'S', kRoot = 'R';

bool is_variable(const HeapGraph::Root& root) {
  return root.kind == HprofReader::kJavaFrame || root.kind == HprofReader::kJniLocal ||
         root.kind == HprofReader::kMonitor || root.kind == HprofReader::kThreadBlock ||
         root.kind == HprofReader::kNativeStack;
}

}  // namespace

// Finds all strongly reachable objects and what holds them, then the shortest paths, breadth first:
// from the static fields of reachable classes and from the other roots; then from local variables to
// the remaining objects, since many objects that the heap retains are also in a variable while in
// use; last by what threads refer to and others own: their context loaders, since any thread that
// serves an application has its loader, and with it all that the application holds; and what they
// are parked at, since an idle worker's queue may lead to the last task that it handed over.
RootPaths::RootPaths(HeapGraph& graph)
    : graph_(graph),
      reach_(graph.size()),
      before_(graph.size(), kNone),
      steps_of_(graph.size(), kNoStep),
      steps_of_held_(graph.size(), kNoStep) {
  std::vector<ObjectNumber> queue;
  const auto add_start = [&](ObjectNumber object) {
    if (before_[object] != kNone) return;
    before_[object] = object;
    queue.push_back(object);
  };
  const auto add_roots = [&](bool variables) {
    for (const HeapGraph::Root& root : graph.roots()) {
      if (is_variable(root) == variables) add_start(root.object);
    }
  };
  const auto search_from_roots = [&](Follow follow) {
    add_roots(false);
    search(queue, follow, Reach::kStrong);
    const std::size_t found = queue.size();
    add_roots(true);
    search(queue, follow, Reach::kStrong, found);
  };
  search_from_roots(Follow::kClassesToo);
  search(queue, Follow::kBorrowedToo, Reach::kStrong);
  held_by_ = before_;
  find_repeated_classes();
  std::ranges::fill(before_, kNone);
  queue.clear();
  for (ObjectNumber object = 0; object < graph.size(); ++object) {
    if (reach_[object] == Reach::kStrong && graph.is_class(object) && !is_repeated(object)) {
      add_start(object);
    }
  }
  search_from_roots(Follow::kStaticsOfClasses);
  search(queue, Follow::kClassesToo, Reach::kStrong);
  search(queue, Follow::kBorrowedToo, Reach::kStrong);
  search(queue, Follow::kWeakToo, Reach::kWeak);
}

// A class of which there are several, by loaders, is one that its loader holds, and not a root: in a
// program that loads its parts anew, former loaders must show who holds them.
void RootPaths::find_repeated_classes() {
  std::unordered_map<std::string, std::uint32_t> named;
  repeated_.resize(graph_.classes());
  for (ObjectNumber object = 0; object < graph_.size(); ++object) {
    if (reach_[object] != Reach::kStrong || !graph_.is_class(object)) continue;
    const std::uint32_t of = graph_.class_of(object);
    const auto [first, is_new] = named.try_emplace(graph_.class_name(of), of);
    if (!is_new) repeated_[of] = repeated_[first->second] = true;
  }
}

// Breadth-first search. `from`: the objects found so far, nearest first; further ones are appended.
// Those before `first` have been searched in this way.
void RootPaths::search(std::vector<ObjectNumber>& from, Follow follow, Reach reach,
                       std::size_t first) {
  for (std::size_t i = first; i < from.size(); ++i) {
    const ObjectNumber object = from[i];
    if (reach_[object] == Reach::kNot) reach_[object] = reach;
    const std::uint32_t count = graph_.references(object);
    for (std::uint32_t at = 0; at < count; ++at) {
      const ObjectNumber to = graph_.reference(object, at);
      if (to == kNone || before_[to] != kNone) continue;
      if (follow != Follow::kWeakToo && graph_.is_weak(object, at)) continue;
      if (follow < Follow::kBorrowedToo && graph_.is_borrowed(object, at)) continue;
      if (follow == Follow::kStaticsOfClasses && at + (graph_.is_class(object) ? 2 : 1) >= count) {
        continue;  // its class, its loader
      }
      before_[to] = object;
      from.push_back(to);
    }
  }
}

std::uint32_t RootPaths::reference_index(ObjectNumber from, ObjectNumber to) const {
  if (graph_.is_array(from)) return 0;  // all elements have one name, and there may be many
  const std::uint32_t count = graph_.references(from);
  std::uint32_t weak = count;
  for (std::uint32_t at = 0; at < count; ++at) {
    if (graph_.reference(from, at) != to) continue;
    if (!graph_.is_weak(from, at)) return at;
    weak = at;
  }
  return weak;
}

std::uint32_t RootPaths::interned(std::uint32_t before, std::string name, bool weak) {
  const auto [number, new_name] =
      name_numbers_.try_emplace(name, static_cast<std::uint32_t>(step_names_.size()));
  if (new_name) step_names_.push_back(std::move(name));
  // A chain of equal references (java.util.HashMap$Node.next) is one step, however long, and one
  // whose links take turns (CompletableFuture.stack, UniCompose.dep) a few rounds.
  if (before != kNoStep && steps_[before].name == number->second) return before;
  std::uint32_t last = kNoStep, at = before;
  int rounds = 0;
  for (std::uint32_t i = 0; i < kPeriod && at != kNoStep; ++i, at = steps_[at].before) {
    if (steps_[at].name != number->second) continue;
    if (last == kNoStep) last = at;
    if (++rounds == kMostRounds) return last;
  }
  const std::uint32_t depth = before == kNoStep ? 0 : steps_[before].depth + 1;
  if (depth > kMostSteps) return before;
  const std::uint64_t key = std::uint64_t{before} << 32 | number->second;
  const auto [step, inserted] =
      step_numbers_.try_emplace(key, static_cast<std::uint32_t>(steps_.size()));
  if (inserted) steps_.push_back({before, number->second, depth, weak});
  return step->second;
}

// Entries of a tree refer to each other by several fields (java.util.TreeMap$Entry.left and .right).
bool RootPaths::continues_chain(const std::vector<ObjectNumber>& before, ObjectNumber last) const {
  const ObjectNumber middle = before[last], first = before[middle];
  const auto is_one_more = [&](ObjectNumber one) {
    return !graph_.is_class(one) && graph_.class_of(one) == graph_.class_of(last);
  };
  return first != middle && is_one_more(middle) && is_one_more(first) && !graph_.is_class(last);
}

// The step to `from`, or, where a chain leads to it, that to the chain's first object: what the links
// of a list or a tree hold is one path, whether the first of them holds it or another one.
std::uint32_t RootPaths::step_of_chain(const std::vector<ObjectNumber>& before,
                                       const std::vector<std::uint32_t>& steps,
                                       ObjectNumber from) const {
  const Step& step = steps_[steps[from]];
  const ObjectNumber first = before[from];
  const bool linked = first != from && !graph_.is_class(from) && !graph_.is_class(first) &&
                      graph_.class_of(first) == graph_.class_of(from);
  return linked && step.before != kNoStep && steps_[step.before].weak == step.weak ? step.before
                                                                                   : steps[from];
}

std::uint32_t RootPaths::step_to(ObjectNumber object, const std::vector<ObjectNumber>& before,
                                 std::vector<std::uint32_t>& steps) {
  std::vector<ObjectNumber> chain;
  ObjectNumber at = object;
  while (steps[at] == kNoStep) {
    chain.push_back(at);
    if (before[at] == at) break;
    at = before[at];
  }
  for (std::size_t i = chain.size(); i-- > 0;) {
    const ObjectNumber here = chain[i], from = before[here];
    if (from == here) {
      // Paths begin at any class; who does not come by its static fields comes by what holds it.
      const bool is_root = held_by_[here] == here || held_by_[here] == kNone;
      steps[here] = is_root ? interned(kNoStep, kRoot + std::to_string(here), false)
                            : step_to(here, held_by_, steps_of_held_);
      continue;
    }
    const std::uint32_t index = reference_index(from, here);
    const bool is_static = graph_.is_static(from, index) && !is_repeated(from);
    const bool weak = graph_.is_weak(from, index) || steps_[steps[from]].weak;
    if (weak == steps_[steps[from]].weak && continues_chain(before, here)) {
      steps[here] = steps[from];
      continue;
    }
    const std::string name = graph_.reference_name(from, index);
    const bool leaves = graph_.class_of(here) != graph_.class_of(from);
    steps[here] =
        is_static ? interned(kNoStep, kStatic + name, steps_[steps[from]].weak)
                  : interned(leaves ? step_of_chain(before, steps, from) : steps[from], name, weak);
  }
  return steps[object];
}

std::vector<RootPath> RootPaths::of(std::span<const ObjectNumber> objects) {
  std::unordered_map<std::uint32_t, std::int64_t> counts;
  for (const ObjectNumber object : objects) {
    if (before_[object] != kNone) ++counts[step_to(object, before_, steps_of_)];
  }
  // Paths with equal descriptions are merged.
  std::unordered_map<std::string, std::size_t> indices;
  std::vector<RootPath> paths;
  for (const auto& [step, count] : counts) {
    RootPath path = described(step);
    path.count = count;
    std::string key = path.root;
    for (const std::string& name : path.via) key += "\n" + name;
    const auto [at, inserted] = indices.try_emplace(std::move(key), paths.size());
    if (inserted) {
      paths.push_back(std::move(path));
    } else {
      paths[at->second].count += count;
    }
  }
  std::ranges::sort(paths, [](const RootPath& a, const RootPath& b) {
    return std::tie(b.count, a.root, a.via) < std::tie(a.count, b.root, b.via);
  });
  return paths;
}

RootPath RootPaths::described(std::uint32_t step) {
  RootPath path;
  path.weak = steps_[step].weak;
  for (; steps_[step].before != kNoStep; step = steps_[step].before) {
    path.via.push_back(step_names_[steps_[step].name]);
  }
  std::ranges::reverse(path.via);
  const std::string& first = step_names_[steps_[step].name];
  if (first[0] == kStatic) {
    // HotSpot dumps the resolved constants of a class as a static field of this name.
    constexpr std::string_view kConstants = ".<resolved_references>";
    const bool constants = first.ends_with(kConstants);
    path.kind = constants ? "class" : "static";
    path.root = constants ? "constants of " + first.substr(1, first.size() - 1 - kConstants.size())
                          : "static " + first.substr(1);
    return path;
  }
  const auto object = static_cast<ObjectNumber>(std::stoul(first.substr(1)));
  auto root = std::ranges::find_if(graph_.roots(), [object](const HeapGraph::Root& one) {
    return one.object == object && !is_variable(one);
  });
  if (root == graph_.roots().end()) {
    root = std::ranges::find(graph_.roots(), object, &HeapGraph::Root::object);
  }
  if (root != graph_.roots().end() && root->kind != HprofReader::kStickyClass) {
    std::tie(path.kind, path.root) = kind_and_name(*root);
  } else {
    path.kind = "class";
    path.root = "class " + graph_.class_name(graph_.class_of(object));
  }
  return path;
}

std::pair<std::string, std::string> RootPaths::kind_and_name(const HeapGraph::Root& root) {
  const auto of_thread = [&] {
    const std::string name = graph_.thread_name(root.thread);
    return name.empty() ? std::string("a thread") : "thread \"" + name + "\"";
  };
  switch (root.kind) {
    case HprofReader::kJniGlobal:
      return {"jni", "JNI global reference"};
    case HprofReader::kThread:
      return {"thread", of_thread()};
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
  return {native ? "jni" : "local", name + ", " + of_thread()};
}

std::uint64_t RootPaths::retained_by(std::span<const ObjectNumber> objects) const {
  // What the first objects keep alive, without what has been seen.
  const auto bytes_from = [this](std::span<const ObjectNumber> first, std::vector<bool> seen) {
    std::uint64_t bytes = 0;
    std::vector<ObjectNumber> open;
    const auto enter = [&](ObjectNumber object) {
      if (object == kNone || seen[object]) return;
      seen[object] = true;
      open.push_back(object);
    };
    for (const ObjectNumber object : first) enter(object);
    while (!open.empty()) {
      const ObjectNumber object = open.back();
      open.pop_back();
      bytes += graph_.bytes_of(object);
      const std::uint32_t count = graph_.references(object);
      for (std::uint32_t at = 0; at < count; ++at) {
        if (!graph_.is_weak(object, at)) enter(graph_.reference(object, at));
      }
    }
    return bytes;
  };
  std::vector<bool> removed(graph_.size()), held(graph_.size());
  std::vector<ObjectNumber> roots;
  std::uint64_t all = 0;
  for (const ObjectNumber object : objects) removed[object] = true;
  for (const HeapGraph::Root& root : graph_.roots()) roots.push_back(root.object);
  for (ObjectNumber object = 0; object < graph_.size(); ++object) {
    held[object] = strongly_held(object);
    if (held[object]) all += graph_.bytes_of(object);
  }
  all += bytes_from(objects, std::move(held));
  return all - bytes_from(roots, std::move(removed));
}

}  // namespace ddm
