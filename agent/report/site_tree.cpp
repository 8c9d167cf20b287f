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
        rest.amount += sum.amount;
        rest.count += sum.count;
      }
      begin = end;
    }
    if (rest.count == 0 && rest.amount == 0) return;
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

}  // namespace

StackTree site_tree(const SiteSet& sites, ReportNames& names, TreeOrder order, std::int64_t parts) {
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
