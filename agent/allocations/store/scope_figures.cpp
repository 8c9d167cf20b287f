#include "allocations/store/scope_figures.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

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

// A stack from the allocating method outwards, up to where the measured part begins.
struct Walked {
  bool root = false, first_use = false, runner = false, program = false;
  std::uint32_t frames = 0;
};

Walked walk(const CallTree& tree, TraceNumber trace, ScopeRoot::Rule rule, MethodWords& words) {
  Walked result;
  std::uint32_t at = 0;
  bool jdk = true;  // all frames so far, those of what runs tests aside
  for (; trace > kCutTrace; trace = tree.caller(trace)) {
    const MethodWords::Words& word = words.of(tree.frame(trace).method);
    if (rule == ScopeRoot::Rule::kEverything && word.kit) break;
    ++at;
    result.runner |= word.runner;
    result.program |= word.program;
    if (result.root) continue;
    jdk = jdk && (word.jdk || word.runner);
    result.first_use |= word.first_use || (jdk && word.waiting);
    result.frames = at;
    // A test method may be called by another one of the same name; the innermost one counts.
    result.root = rule == ScopeRoot::Rule::kBelowMethod && word.root;
  }
  return result;
}

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
  for (const Scopes::Part part : {Scopes::Part::kOwner, Scopes::Part::kMade, Scopes::Part::kLent}) {
    for (const ScopeTally::Sum& sum : ended.tallies[part].sums()) {
      // A stack with a gap may or may not belong to the measured part.
      if (sum.trace == kNoTrace || tree.lacks_frames(sum.trace)) figures.lost += sum.objects;
      const Walked stack = walk(tree, sum.trace, ended.root.rule, words);
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
