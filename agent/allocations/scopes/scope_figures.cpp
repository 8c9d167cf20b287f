#include "allocations/scopes/scope_figures.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <unordered_set>

#include "stack/names/jdk_classes.h"

namespace ddm {
namespace {

// A stack from a frame outwards, up to where the measured part begins.
struct Walked {
  bool root = false, first_use = false, program = false;
  bool runner = false;  // with no frame of the program further out
  bool cut = false;     // and no root was found
  ByTiming waiting = ByTiming::kNo;
  std::uint32_t frames = 0;
  std::uint32_t runner_frames = 0;  // of the whole stack
};

// Walks each node of the tree once: the stacks of a test have nearly all of their frames in common.
class Walks {
 public:
  Walks(const CallTree& tree, const ScopeRoot& root, const NameTable& names, MethodKinds& kinds)
      : tree_(tree),
        root_(root),
        root_hash_(MethodKinds::hash_of(root.class_name, root.method)),
        names_(names),
        kinds_(kinds) {}

  // From the allocating method outwards.
  Walked of(TraceNumber trace) {
    Walked result;
    path_.clear();
    for (; trace > kCutTrace; trace = tree_.caller(trace)) {
      if (const auto known = known_.find(trace); known != known_.end()) {
        result = known->second;
        break;
      }
      const NameId method = tree_.frame(trace).method;
      const MethodKinds::Kind kind = kinds_.of(method, names_);
      path_.push_back({trace, method, kind});
    }
    // What runs a test is what lies outermost. So a stack without it is one of the test, whose method
    // is as far out.
    if (trace == kCutTrace) {
      result.cut = result.program = true;
      result.root = root_.rule == ScopeRoot::Rule::kBelowMethod;
    }
    for (; !path_.empty(); path_.pop_back()) {
      const auto& [node, method, kind] = path_.back();
      result.runner_frames += kind.runner_task;
      if (root_.rule == ScopeRoot::Rule::kEverything && kind.kit) {
        known_[node] = result = {.runner_frames = result.runner_frames};
        continue;
      }
      if (is_root(method, kind)) {
        result.root = true;
        result.first_use = result.cut = false;
        result.waiting = ByTiming::kNo;
        result.frames = 0;
      }
      result.waiting = kind.program ? ByTiming::kNo : waiting_within(result.waiting, kind.waiting);
      result.first_use |= kind.first_use;
      result.runner |= kind.runner && !result.program;
      result.program |= kind.program;
      ++result.frames;
      known_[node] = result;
    }
    return result;
  }

 private:
  // A test method may be called by another one of the same name; the innermost one counts.
  bool is_root(NameId method, MethodKinds::Kind kind) const {
    if (root_.rule != ScopeRoot::Rule::kBelowMethod || kind.name_hash != root_hash_) return false;
    const MethodName& name = names_.method(method);
    return name.method == root_.method && name.class_name == root_.class_name;
  }

  struct Step {
    TraceNumber trace = kNoTrace;
    NameId method = kUnknownName;
    MethodKinds::Kind kind;
  };

  const CallTree& tree_;
  const ScopeRoot& root_;
  const std::uint32_t root_hash_;
  const NameTable& names_;
  MethodKinds& kinds_;
  std::unordered_map<TraceNumber, Walked> known_;
  std::vector<Step> path_;
};

// Whether a stack's cut leaves it unknown if it is measured. At the greatest depth it is not for the
// runner's frames that one is cut; at another one it may be.
bool is_unknown(const CallTree& tree, Scopes::Part part, ScopeRoot::Rule rule,
                const Walked& stack) {
  return stack.cut && tree.depth() < kMaxTreeDepth && part != Scopes::Part::kMade &&
         rule != ScopeRoot::Rule::kEverything;
}

bool is_by_timing(const ScopeTally::Sum& sum, ByTiming waiting, const CallTree& tree,
                  const NameTable& names) {
  return waiting != ByTiming::kNo &&
         is_by_timing(waiting, names.class_name(sum.class_id),
                      names.method(tree.frame(sum.trace).method).class_name);
}

// The runner's own threads may run a test (a timeout of JUnit 4), and then what is around it, too.
bool is_measured(Scopes::Part part, ScopeRoot::Rule rule, const Walked& stack) {
  if (part == Scopes::Part::kMade) return true;
  if (part == Scopes::Part::kLent) {
    const bool below = rule == ScopeRoot::Rule::kBelowMethod;
    return !stack.runner || (below ? stack.root : stack.program);
  }
  if (rule == ScopeRoot::Rule::kBelowMethod) return stack.root;
  if (rule == ScopeRoot::Rule::kProgram) return stack.program;
  return rule == ScopeRoot::Rule::kEverything;
}

}  // namespace

std::uint32_t MethodKinds::hash_of(const std::string& class_name, const std::string& method) {
  constexpr std::size_t kMultiplier = 31;
  return static_cast<std::uint32_t>(std::hash<std::string>()(class_name) * kMultiplier +
                                    std::hash<std::string>()(method));
}

const MethodKinds::Kind& MethodKinds::classify(NameId method, const NameTable& names) {
  if (method < kMostKept && method >= kinds_.size()) {
    kinds_.resize(method + 1 + kinds_.size() / 2);
  }
  const MethodName& name = names.method(method);
  Kind& kind = method < kMostKept ? kinds_[method] : not_kept_;
  kind.known = true;
  kind.first_use = is_first_use(name.class_name, name.method);
  kind.waiting = waiting_of(name.class_name, name.method);
  kind.runner = is_test_runner(name.class_name);
  kind.program = is_program_under_test(name.class_name);
  kind.runner_task = is_runner_task(name.class_name);
  kind.kit = name.class_name.starts_with("ddm.test.");
  kind.name_hash = hash_of(name.class_name, name.method);
  return kind;
}

ScopeFigures figures_of(const Scopes::Ended& ended, const NameTable& names, MethodKinds& kinds) {
  ScopeFigures figures;
  figures.sites = ended.sites;
  figures.lost = ended.tallies.lost;
  const CallTree& tree = ended.sites->traces();
  Walks walks(tree, ended.root, names, kinds);
  for (const Scopes::Part part : {Scopes::Part::kOwner, Scopes::Part::kMade, Scopes::Part::kLent}) {
    for (const ScopeTally::Sum& sum : ended.tallies[part].sums()) {
      const Walked stack = walks.of(sum.trace);
      // A stack with a gap may or may not belong to the measured part.
      if (sum.trace == kNoTrace || tree.lacks_frames(sum.trace) ||
          is_unknown(tree, part, ended.root.rule, stack)) {
        figures.lost += sum.objects;
      }
      const bool of_other_test =
          part == Scopes::Part::kOwner && stack.runner_frames > ended.runner_frames;
      if (of_other_test || !is_measured(part, ended.root.rule, stack)) continue;
      const bool own = part == Scopes::Part::kOwner || (part == Scopes::Part::kLent && stack.root);
      const bool first_use = stack.first_use || is_by_timing(sum, stack.waiting, tree, names);
      figures.list.push_back(
          {sum.class_id, sum.trace, sum.objects, sum.bytes, stack.frames, first_use, own});
    }
  }
  std::ranges::sort(figures.list, {}, [](const ScopeSite& one) {
    return std::tuple(-one.bytes, -one.objects, one.class_id, one.trace);
  });
  return figures;
}

LiveAmount find_alive(ScopeFigures& figures, const LiveBySite& before, const LiveBySite& now) {
  LiveAmount result;
  std::unordered_set<std::uint64_t> known;  // several parts may have the same site
  for (ScopeSite& site : figures.list) {
    const std::uint64_t key = SiteSum::key_of(site.class_id, site.trace);
    const auto here = now.find(key), then = before.find(key);
    if (site.first_use || here == now.end() || !known.insert(key).second) continue;
    const LiveAmount past = then != before.end() ? then->second : LiveAmount();
    site.alive = {std::max<std::int64_t>(here->second.objects - past.objects, 0),
                  std::max<std::int64_t>(here->second.bytes - past.bytes, 0)};
    result.objects += site.alive.objects;
    result.bytes += site.alive.bytes;
  }
  return result;
}

}  // namespace ddm
