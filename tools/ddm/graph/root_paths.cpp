#include "graph/root_paths.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "report/thread_pools.h"

namespace ddm {
namespace {

constexpr std::uint32_t kNoStep = ~std::uint32_t{0};
// Chains may have as many links as there are objects, and each object a path of its own.
constexpr int kMostRounds = 3;         // of a chain whose links recur, in a path
constexpr std::uint32_t kPeriod = 32;  // links after which one may recur
constexpr std::uint32_t kMostSteps = 200;
// The first step of a path names its root: "S" and the static field, or "R" and the root's number.
constexpr char kStatic = 'S', kRoot = 'R';
// From how many on threads of a pool that hold alike are one root.
constexpr std::size_t kFewestAlike = 2;
constexpr std::string_view kThreadLocalValue = "java.lang.ThreadLocal$ThreadLocalMap$Entry.value";

}  // namespace

// Finds all strongly reachable objects and what holds them, then the shortest paths, breadth first:
// from the static fields of reachable classes and from the other roots; then from local variables to
// the remaining objects, since many objects that the heap retains are also in a variable while in
// use; last by what threads refer to and others own: their context loaders, since any thread that
// serves an application has its loader, and with it all that the application holds; and what they
// are parked at, since an idle worker's queue may lead to the last task that it handed over.
RootPaths::RootPaths(HeapGraph& graph)
    : graph_(graph),
      roots_(graph),
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
    const std::string name = step_name(from, index);
    const bool leaves = graph_.class_of(here) != graph_.class_of(from);
    steps[here] =
        is_static ? interned(kNoStep, kStatic + name, steps_[steps[from]].weak)
                  : interned(leaves ? step_of_chain(before, steps, from) : steps[from], name, weak);
  }
  return steps[object];
}

std::string RootPaths::step_name(ObjectNumber from, std::uint32_t index) const {
  std::string name = graph_.reference_name(from, index);
  return name == kThreadLocalValue ? name + thread_local_of(from) : name;
}

// The entry is a weak reference to its ThreadLocal, which mostly is in a static field.
std::string RootPaths::thread_local_of(ObjectNumber entry) const {
  const std::uint32_t count = graph_.references(entry);
  std::uint32_t at = 0;
  while (at < count && !graph_.is_weak(entry, at)) ++at;
  if (at == count) return "";
  const ObjectNumber key = graph_.reference(entry, at);
  if (key == kNone) return " (of a ThreadLocal that is gone)";
  const ObjectNumber holder = before_[key];
  if (holder != kNone && holder != key) {
    const std::uint32_t index = reference_index(holder, key);
    if (graph_.is_static(holder, index))
      return " (of " + graph_.reference_name(holder, index) + ")";
  }
  return " (of a " + graph_.class_name(graph_.class_of(key)) + ")";
}

std::vector<RootPath> RootPaths::of(std::span<const ObjectNumber> objects) {
  std::unordered_map<std::uint32_t, std::int64_t> counts;
  for (const ObjectNumber object : objects) {
    if (before_[object] != kNone) ++counts[step_to(object, before_, steps_of_)];
  }
  struct Found {
    RootName root;
    std::string thread;  // its name
    RootPath path;
    std::set<std::uint32_t> threads;
  };
  std::vector<Found> all;
  ThreadPools pools(kFewestAlike);
  for (const auto& [step, count] : counts) {
    Found& one = all.emplace_back(Found{root_of(step), "", path_to(step), {}});
    one.path.count = count;
    if (!one.root.thread) continue;
    one.threads.insert(*one.root.thread);
    one.thread = graph_.thread_name(*one.root.thread);
    pools.add(one.thread);
  }
  // Paths with equal descriptions are merged.
  std::unordered_map<std::string, std::size_t> indices;
  std::vector<Found> merged;
  for (Found& one : all) {
    one.path.like = roots_.text(one.root, pools.pattern_of(one.thread), 1);
    std::string key = one.path.like;
    for (const std::string& name : one.path.via) key += "\n" + name;
    const auto [at, inserted] = indices.try_emplace(std::move(key), merged.size());
    if (inserted) {
      merged.push_back(std::move(one));
    } else {
      merged[at->second].path.count += one.path.count;
      merged[at->second].threads.merge(one.threads);
    }
  }
  std::vector<RootPath> paths;
  for (Found& one : merged) {
    const std::size_t threads = one.threads.size();
    one.path.kind = one.root.kind;
    one.path.root =
        roots_.text(one.root, threads > 1 ? pools.pattern_of(one.thread) : one.thread, threads);
    paths.push_back(std::move(one.path));
  }
  std::ranges::sort(paths, [](const RootPath& a, const RootPath& b) {
    return std::tie(b.count, a.root, a.via) < std::tie(a.count, b.root, b.via);
  });
  return paths;
}

RootPath RootPaths::path_to(std::uint32_t step) const {
  RootPath path;
  path.weak = steps_[step].weak;
  for (; steps_[step].before != kNoStep; step = steps_[step].before) {
    path.via.push_back(step_names_[steps_[step].name]);
  }
  std::ranges::reverse(path.via);
  return path;
}

RootName RootPaths::root_of(std::uint32_t step) {
  while (steps_[step].before != kNoStep) step = steps_[step].before;
  const std::string& first = step_names_[steps_[step].name];
  if (first[0] == kStatic) return roots_.of_static(first.substr(1));
  return roots_.of_object(static_cast<ObjectNumber>(std::stoul(first.substr(1))));
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
