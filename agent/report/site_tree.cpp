#include "report/site_tree.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allocations/store/tree_stacks.h"

namespace ddm {
namespace {

// One after the other, what a stack is of. kEnd: no more.
struct Step {
  enum Kind : std::uint32_t { kEnd, kGroup, kCut, kFrame, kClass };
  Kind kind = kEnd;
  NameId id = kUnknownName;
};

// A text -> its number, by the id that it came from.
class Numbered {
 public:
  template <typename TextOf>
  std::uint32_t number(NameId id, TextOf text_of) {
    const auto [known, fresh] = by_id_.try_emplace(id, 0);
    if (fresh) {
      const auto next = static_cast<std::uint32_t>(texts_.size());
      const auto [at, unseen] = by_text_.try_emplace(text_of(id), next);
      if (unseen) texts_.push_back(&at->first);
      known->second = at->second;
    }
    return known->second;
  }
  const std::string& text(std::uint32_t number) const { return *texts_[number]; }

 private:
  std::unordered_map<NameId, std::uint32_t> by_id_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
  std::vector<const std::string*> texts_;
};

// Those of a tree, each once it is used.
class Shown {
 public:
  explicit Shown(std::vector<std::string>& to) : to_(to) {}
  std::uint32_t index(std::uint32_t number, const std::string& text) {
    const auto [at, fresh] = index_.try_emplace(number, static_cast<std::uint32_t>(to_.size()));
    if (fresh) to_.push_back(text);
    return at->second;
  }

 private:
  std::vector<std::string>& to_;
  std::unordered_map<std::uint32_t, std::uint32_t> index_;
};

struct Sum {
  double amount = 0, count = 0;
  bool is_zero() const { return amount == 0 && count == 0; }
  Sum& operator+=(const Sum& more) {
    amount += more.amount;
    count += more.count;
    return *this;
  }
};

template <typename Stacks>
class TreeOfGroups {
 public:
  TreeOfGroups(const Stacks& stacks, ReportNames& names, TreeOrder order, std::int64_t parts)
      : stacks_(stacks),
        names_(names),
        order_(order),
        parts_(static_cast<double>(parts)),
        entries_(stacks.size()) {
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
      entries_[i].stack = i;
      all_.amount += stacks.amount(i);
      all_.count += stacks.count(i);
    }
    tree_.frames.emplace_back(kDeeperFramesCut);
    tree_.classes.emplace_back(kSmallerOnes);
    tree_.nodes.emplace_back();
  }

  StackTree build() {
    std::vector<Group> pending{{0, 0, 0, entries_.size(), least_of(all_)}};
    while (!pending.empty()) {
      const Group group = pending.back();
      pending.pop_back();
      divide(group, pending);
    }
    return std::move(tree_);
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t stack = 0;
  };
  struct Group {  // those entries from begin to end have the same first `depth` steps
    std::uint32_t node;
    std::uint32_t depth;
    std::size_t begin, end;
    Sum least;  // what is less than both stands together
  };

  Sum least_of(const Sum& sum) const {
    return {std::floor(sum.amount / parts_), std::floor(sum.count / parts_)};
  }

  void divide(const Group& group, std::vector<Group>& pending) {
    const auto at = [&](std::size_t i) {
      return entries_.begin() + static_cast<std::ptrdiff_t>(i);
    };
    for (std::size_t i = group.begin; i < group.end; ++i) {
      entries_[i].key = key(entries_[i].stack, group.depth);
    }
    std::sort(at(group.begin), at(group.end), [](const Entry& a, const Entry& b) {
      return std::pair(a.key, a.stack) < std::pair(b.key, b.stack);
    });
    Sum rest;
    for (std::size_t begin = group.begin; begin < group.end;) {
      Sum sum;
      std::size_t end = begin;
      for (; end < group.end && entries_[end].key == entries_[begin].key; ++end) {
        sum.amount += stacks_.amount(entries_[end].stack);
        sum.count += stacks_.count(entries_[end].stack);
      }
      const std::uint64_t key = entries_[begin].key;
      if (key == 0) {
        add(group.node, sum);
      } else if (key >> 32 == Step::kGroup) {
        pending.push_back({new_node(group.node, key), group.depth + 1, begin, end, least_of(sum)});
      } else if (sum.amount >= group.least.amount || sum.count >= group.least.count) {
        pending.push_back({new_node(group.node, key), group.depth + 1, begin, end, group.least});
      } else {
        rest += sum;
      }
      begin = end;
    }
    if (rest.is_zero()) return;
    tree_.nodes.push_back({group.node, kSmallerOnesClass, true, 0, 0});
    add(static_cast<std::uint32_t>(tree_.nodes.size() - 1), rest);
  }

  void add(std::uint32_t node, const Sum& sum) {
    tree_.nodes[node].amount += std::llround(sum.amount);
    tree_.nodes[node].count += std::llround(sum.count);
  }

  Step step(std::uint32_t stack, std::uint32_t depth) const {
    if (stacks_.by_kind() && depth-- == 0) return {Step::kGroup, stacks_.kind(stack)};
    const Step type =
        stacks_.has_class(stack) ? Step{Step::kClass, stacks_.class_id(stack)} : Step{};
    const auto frames = static_cast<std::uint32_t>(stacks_.depth(stack));
    const std::uint32_t cut = stacks_.cut(stack) ? 1 : 0;
    if (order_ == TreeOrder::kClassFirst) {
      if (type.kind == Step::kClass && depth-- == 0) return type;
      if (depth < frames) return {Step::kFrame, stacks_.method(stack, depth)};
      return {depth < frames + cut ? Step::kCut : Step::kEnd, kUnknownName};
    }
    if (depth < cut) return {Step::kCut, kUnknownName};
    depth -= cut;
    if (depth < frames) return {Step::kFrame, stacks_.method(stack, frames - 1 - depth)};
    return depth == frames ? type : Step{};
  }

  // 0: the stack has ended.
  std::uint64_t key(std::uint32_t stack, std::uint32_t depth) {
    const Step step = this->step(stack, depth);
    std::uint32_t number = 0;
    if (step.kind == Step::kFrame) {
      number = frames_.number(step.id, [&](NameId id) { return names_.method(id).qualified; });
    } else if (step.kind == Step::kClass) {
      number = classes_.number(step.id, [&](NameId id) { return names_.class_name(id); });
    } else if (step.kind == Step::kGroup) {
      number = step.id;
    }
    return std::uint64_t{step.kind} << 32 | number;
  }

  std::uint32_t new_node(std::uint32_t parent, std::uint64_t key) {
    const auto number = static_cast<std::uint32_t>(key);
    const bool is_class = key >> 32 == Step::kClass;
    std::uint32_t name = StackTree::kCutFrame;
    if (is_class) {
      name = shown_classes_.index(number, classes_.text(number));
    } else if (key >> 32 == Step::kFrame) {
      name = shown_frames_.index(number, frames_.text(number));
    } else if (key >> 32 == Step::kGroup) {
      name = static_cast<std::uint32_t>(tree_.frames.size());
      tree_.frames.emplace_back(name_of(static_cast<MonitorKind>(number)));
    }
    tree_.nodes.push_back({parent, name, is_class, 0, 0});
    return static_cast<std::uint32_t>(tree_.nodes.size() - 1);
  }

  const Stacks& stacks_;
  ReportNames& names_;
  const TreeOrder order_;
  const double parts_;
  std::vector<Entry> entries_;
  Sum all_;
  StackTree tree_;
  Numbered frames_, classes_;
  Shown shown_frames_{tree_.frames}, shown_classes_{tree_.classes};
};

// From the threads' first frames on: the calling-context tree itself, level by level. Nodes of one
// method below one parent are one group, and only groups that are shown are looked into.
class RootedTree {
 public:
  RootedTree(const SiteSet& sites, ReportNames& names, std::int64_t parts)
      : sites_(sites),
        names_(names),
        stacks_(sites.traces()),
        sums_(std::size_t{stacks_.last()} + 1),
        shown_(sums_.size(), kNone) {
    tree_.frames.emplace_back(kDeeperFramesCut);
    tree_.classes.emplace_back(kSmallerOnes);
    tree_.nodes.emplace_back();
    for (const Site& site : sites.list()) {
      all_ += sum_of(site);
      sums_[site.trace] += sum_of(site);
    }
    // A caller's number is below those that it calls.
    for (std::size_t i = sums_.size(); i-- > kCutTrace;) {
      sums_[stacks_.caller(static_cast<TraceNumber>(i))] += sums_[i];
    }
    const auto part = static_cast<double>(parts);
    least_ = {std::floor(all_.amount / part), std::floor(all_.count / part)};
  }

  StackTree build() {
    shown_[kNoTrace] = shown_[kEmptyTrace] = 0;
    if (sums_.size() > kCutTrace && !sums_[kCutTrace].is_zero()) {
      add(0, Step::kCut, 0, sums_[kCutTrace], kCutTrace);
      end_of_level();
    }
    std::vector<Gap> gaps;  // whose frame is of the next level
    const std::vector<std::vector<TraceNumber>> levels = nodes_by_depth();
    for (std::size_t depth = 1; depth <= levels.size() + 1; ++depth) {
      for (const Gap& gap : gaps) {
        add(gap.parent, Step::kFrame, method(stacks_.frame(gap.node).method), sums_[gap.node],
            gap.node);
      }
      gaps.clear();
      std::vector<TraceNumber> left_out;
      if (depth <= levels.size()) {
        for (const TraceNumber node : levels[depth - 1]) {
          const std::uint32_t parent = shown_[stacks_.caller(node)];
          if (parent == kNone) continue;
          const bool gap = stacks_.has_gap(node);
          if (gap) left_out.push_back(node);
          add(parent, Step::kFrame, method(gap ? kLeftOutName : stacks_.frame(node).method),
              sums_[node], node);
        }
      }
      end_of_level();
      for (const TraceNumber node : left_out) {
        if (shown_[node] != kNone) gaps.push_back({node, shown_[node]});
      }
    }
    for (const Site& site : sites_.list()) {
      if (shown_[site.trace] == kNone) continue;
      const std::uint32_t type =
          classes_.number(site.class_id, [&](NameId id) { return names_.class_name(id); });
      add(shown_[site.trace], Step::kClass, type, sum_of(site), kNoTrace);
    }
    end_of_level();
    for (std::uint32_t i = 0; i < rests_.size(); ++i) {
      if (rests_[i].is_zero()) continue;
      tree_.nodes.push_back({i, kSmallerOnesClass, true, 0, 0});
      take(rests_[i]);
    }
    return std::move(tree_);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Gap {
    TraceNumber node;
    std::uint32_t parent;
  };
  struct Group {
    std::uint32_t parent;
    Step::Kind kind;
    std::uint32_t number;  // of its text
    Sum sum;
  };
  struct Member {
    TraceNumber node;
    std::uint32_t group;
  };

  static Sum sum_of(const Site& site) {
    return {static_cast<double>(site.bytes), static_cast<double>(site.count)};
  }

  std::vector<std::vector<TraceNumber>> nodes_by_depth() const {
    std::vector<std::vector<TraceNumber>> levels;
    for (TraceNumber node = kCutTrace + 1; node < sums_.size(); ++node) {
      if (sums_[node].is_zero()) continue;
      const std::size_t depth = stacks_.size(node);
      if (depth > levels.size()) levels.resize(depth);
      levels[depth - 1].push_back(node);
    }
    return levels;
  }

  std::uint32_t method(NameId id) {
    return frames_.number(id, [&](NameId of) { return names_.method(of).qualified; });
  }

  void add(std::uint32_t parent, Step::Kind kind, std::uint32_t number, const Sum& sum,
           TraceNumber node) {
    const std::uint64_t key = std::uint64_t{parent} << 32 | number;
    const auto [found, fresh] = index_.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
    if (fresh) groups_.push_back({parent, kind, number, {}});
    groups_[found->second].sum += sum;
    members_.push_back({node, found->second});
  }

  void end_of_level() {
    std::vector<std::uint32_t> shown(groups_.size(), kNone);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const Group& group = groups_[i];
      if (group.sum.amount >= least_.amount || group.sum.count >= least_.count) {
        shown[i] = show(group);
      } else {
        if (group.parent >= rests_.size()) rests_.resize(std::size_t{group.parent} + 1);
        rests_[group.parent] += group.sum;
      }
    }
    for (const Member& member : members_) {
      if (member.node != kNoTrace) shown_[member.node] = shown[member.group];
    }
    groups_.clear();
    members_.clear();
    index_.clear();
  }

  std::uint32_t show(const Group& group) {
    const bool is_class = group.kind == Step::kClass;
    std::uint32_t name = StackTree::kCutFrame;
    if (is_class) {
      name = shown_classes_.index(group.number, classes_.text(group.number));
    } else if (group.kind == Step::kFrame) {
      name = shown_frames_.index(group.number, frames_.text(group.number));
    }
    tree_.nodes.push_back({group.parent, name, is_class, 0, 0});
    if (is_class) take(group.sum);
    return static_cast<std::uint32_t>(tree_.nodes.size() - 1);
  }

  // The last of the tree's.
  void take(const Sum& sum) {
    tree_.nodes.back().amount = std::llround(sum.amount);
    tree_.nodes.back().count = std::llround(sum.count);
  }

  const SiteSet& sites_;
  ReportNames& names_;
  const CallTree& stacks_;
  std::vector<Sum> sums_;             // by TraceNumber: of what is allocated there and below
  std::vector<std::uint32_t> shown_;  // by TraceNumber: the tree's node, or kNone
  Sum all_, least_;
  std::vector<Group> groups_;  // of one level
  std::vector<Member> members_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;  // of groups, by parent and number
  std::vector<Sum> rests_;                                  // by the tree's node
  StackTree tree_;
  Numbered frames_, classes_;
  Shown shown_frames_{tree_.frames}, shown_classes_{tree_.classes};
};

}  // namespace

StackTree site_tree(const SiteSet& sites, ReportNames& names, TreeOrder order, std::int64_t parts) {
  if (order == TreeOrder::kRootFirst) return RootedTree(sites, names, parts).build();
  const SiteStacks stacks(sites);
  return TreeOfGroups(stacks, names, order, parts).build();
}

StackTree site_tree(const RecordSet& records, ReportNames& names, TreeOrder order,
                    std::int64_t parts) {
  const RecordStacks stacks(records);
  return TreeOfGroups(stacks, names, order, parts).build();
}

StackTree site_tree(const TimeStacks& stacks, ReportNames& names, TreeOrder order,
                    std::int64_t parts) {
  const StacksOfTime of_time(stacks);
  return TreeOfGroups(of_time, names, order, parts).build();
}

}  // namespace ddm
