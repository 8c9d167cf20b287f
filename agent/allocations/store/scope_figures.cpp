#include "allocations/store/scope_figures.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "stack/names/first_use.h"
#include "stack/names/jdk_classes.h"
#include "stack/names/test_frames.h"

namespace ddm {
namespace {

// Classifies methods by their names, each method once.
class MethodWords {
 public:
  struct Words {
    bool root = false, first_use = false, waiting = false, jdk = false;
    bool runner = false, program = false, kit = false;
  };

  MethodWords(const ScopeRoot& root, const NameTable& names) : root_(root), names_(names) {}

  const Words& of(NameId method) {
    const auto [at, is_new] = known_.try_emplace(method);
    if (is_new) {
      const MethodName& name = names_.method(method);
      at->second = {name.method == root_.method && name.class_name == root_.class_name,
                    is_of_first_use(name.class_name, name.method),
                    is_of_waiting(name.class_name, name.method),
                    is_jdk_class(name.class_name),
                    is_of_test_runner(name.class_name),
                    is_of_program_under_test(name.class_name),
                    name.class_name.starts_with("ddm.test.")};
    }
    return at->second;
  }

 private:
  const ScopeRoot& root_;
  const NameTable& names_;
  std::unordered_map<NameId, Words> known_;
};

// A stack from a frame outwards, up to where the measured part begins.
struct Walked {
  bool root = false, first_use = false, runner = false, program = false;
  std::uint32_t frames = 0;
};

// Walks each node of the tree once: the stacks of a test have nearly all of their frames in common.
class Walks {
 public:
  Walks(const CallTree& tree, ScopeRoot::Rule rule, MethodWords& words)
      : tree_(tree), rule_(rule), words_(words) {}

  // From the allocating method outwards.
  Walked of(TraceNumber trace) {
    Walked result = outwards(trace);
    // What the JDK waits with is a first use only if no frame of the program's stands further in.
    for (; trace > kCutTrace && !result.first_use; trace = tree_.caller(trace)) {
      const MethodWords::Words& word = words_.of(tree_.frame(trace).method);
      if (ends_at(word) || !(word.jdk || word.runner)) break;
      result.first_use = word.waiting;
      if (is_root(word)) break;
    }
    return result;
  }

 private:
  bool ends_at(const MethodWords::Words& word) const {
    return rule_ == ScopeRoot::Rule::kEverything && word.kit;
  }
  // A test method may be called by another one of the same name; the innermost one counts.
  bool is_root(const MethodWords::Words& word) const {
    return rule_ == ScopeRoot::Rule::kBelowMethod && word.root;
  }

  Walked outwards(TraceNumber trace) {
    Walked result;
    path_.clear();
    for (; trace > kCutTrace; trace = tree_.caller(trace)) {
      if (const auto known = known_.find(trace); known != known_.end()) {
        result = known->second;
        break;
      }
      const MethodWords::Words& word = words_.of(tree_.frame(trace).method);
      if (ends_at(word)) break;
      path_.push_back({trace, &word});
    }
    for (; !path_.empty(); path_.pop_back()) {
      const MethodWords::Words& word = *path_.back().word;
      if (is_root(word)) {
        result.root = true;
        result.first_use = false;
        result.frames = 0;
      }
      result.first_use |= word.first_use;
      result.runner |= word.runner;
      result.program |= word.program;
      ++result.frames;
      known_[path_.back().trace] = result;
    }
    return result;
  }

  struct Step {
    TraceNumber trace = kNoTrace;
    const MethodWords::Words* word = nullptr;  // stays where it is: a map's values do
  };

  const CallTree& tree_;
  const ScopeRoot::Rule rule_;
  MethodWords& words_;
  std::unordered_map<TraceNumber, Walked> known_;
  std::vector<Step> path_;
};

bool is_measured(Scopes::Part part, ScopeRoot::Rule rule, const Walked& stack) {
  if (part == Scopes::Part::kMade) return true;
  if (part == Scopes::Part::kLent) return stack.program || !stack.runner;
  switch (rule) {
    case ScopeRoot::Rule::kEverything:
      return true;
    case ScopeRoot::Rule::kBelowMethod:
      return stack.root;
    case ScopeRoot::Rule::kProgram:
      return stack.program;
    case ScopeRoot::Rule::kNothing:
      break;
  }
  return false;
}

}  // namespace

ScopeFigures figures_of(const Scopes::Ended& ended, const NameTable& names) {
  ScopeFigures figures;
  figures.sites = ended.sites;
  figures.lost = ended.tallies.lost;
  MethodWords words(ended.root, names);
  const CallTree& tree = ended.sites->traces();
  Walks walks(tree, ended.root.rule, words);
  for (const Scopes::Part part : {Scopes::Part::kOwner, Scopes::Part::kMade, Scopes::Part::kLent}) {
    for (const ScopeTally::Sum& sum : ended.tallies[part].sums()) {
      // A stack with a gap may or may not belong to the measured part.
      if (sum.trace == kNoTrace || tree.lacks_frames(sum.trace)) figures.lost += sum.objects;
      const Walked stack = walks.of(sum.trace);
      if (!is_measured(part, ended.root.rule, stack)) continue;
      figures.list.push_back({sum.class_id, sum.trace, sum.objects, sum.bytes, stack.frames,
                              stack.first_use, part == Scopes::Part::kOwner});
    }
  }
  const auto order = [](const ScopeSite& one) {
    return std::tuple(-one.bytes, -one.objects, one.class_id, one.trace);
  };
  std::sort(figures.list.begin(), figures.list.end(),
            [&](const ScopeSite& a, const ScopeSite& b) { return order(a) < order(b); });
  return figures;
}

LiveAmount live_of(const ScopeFigures& figures, const LiveBySite& before, const LiveBySite& now) {
  LiveAmount result;
  std::unordered_set<std::uint64_t> known;  // several parts may have the same site
  const auto amount = [](const LiveBySite& all, std::uint64_t site) {
    const auto found = all.find(site);
    return found != all.end() ? found->second : LiveAmount();
  };
  for (const ScopeSite& site : figures.list) {
    const std::uint64_t key = SiteSum::key_of(site.class_id, site.trace);
    if (!known.insert(key).second) continue;
    const LiveAmount then = amount(before, key), here = amount(now, key);
    result.objects += std::max<std::int64_t>(here.objects - then.objects, 0);
    result.bytes += std::max<std::int64_t>(here.bytes - then.bytes, 0);
  }
  return result;
}

}  // namespace ddm
