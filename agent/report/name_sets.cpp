#include "report/name_sets.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "allocations/store/tree_stacks.h"
#include "report/site_tree.h"

namespace ddm {
namespace {

constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

void append_number(std::string& out, std::uint64_t number) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (; number >= 32; number >>= 5) out += kLetters[32 + number % 32];
  out += kLetters[number];
}

std::uint64_t whole_figure(double figure) {
  return static_cast<std::uint64_t>(std::max<long long>(std::llround(figure), 0));
}

// The places of names in one of the tree's lists, by the ids that they come from.
class Places {
 public:
  explicit Places(std::vector<std::string>& list) : list_(list) {
    for (std::uint32_t i = 0; i < list.size(); ++i) by_text_.emplace(list[i], i);
  }
  std::uint32_t of_text(const std::string& text) {
    const auto next = static_cast<std::uint32_t>(list_.size());
    const auto [at, fresh] = by_text_.try_emplace(text, next);
    if (fresh) list_.push_back(text);
    return at->second;
  }
  template <typename TextOf>
  std::uint32_t of(NameId id, TextOf text_of) {
    if (id >= kMostIds) return of_text(text_of(id));  // of a damaged file
    if (id >= by_id_.size()) by_id_.resize(id + std::size_t{1}, kNoPlace);
    if (by_id_[id] == kNoPlace) by_id_[id] = of_text(text_of(id));
    return by_id_[id];
  }

 private:
  static constexpr NameId kMostIds = 1u << 22;
  std::vector<std::string>& list_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
  std::vector<std::uint32_t> by_id_;
};

template <typename Stacks>
class NameSetsOf {
 public:
  NameSetsOf(const Stacks& stacks, ReportNames& names, StackTree& tree, bool with_amount)
      : stacks_(stacks),
        names_(names),
        tree_(tree),
        with_amount_(with_amount),
        frames_(tree.frames),
        classes_(tree.classes) {}

  NameSets build() {
    const bool some_together =
        std::any_of(tree_.nodes.begin() + 1, tree_.nodes.end(), [](const StackTree::Node& node) {
          return node.is_class && node.name == kSmallerOnesClass;
        });
    if (!some_together) return {};
    count_names();
    rank_names();
    spell_stacks();
    write_sets();
    return std::move(sets_);
  }

 private:
  // A class is told from a frame by its lowest bit until the tree's lists are complete.
  using Name = std::uint32_t;
  static Name frame_name(std::uint32_t place) { return place << 1; }
  static Name class_name(std::uint32_t place) { return place << 1 | 1; }

  struct Spelt {
    std::size_t begin = 0;  // in spelling_
    std::uint32_t size = 0;
    std::uint32_t stack = 0;
  };

  // Those of one stack, each once.
  const std::vector<Name>& names_in(std::size_t stack) {
    of_stack_.clear();
    const auto add = [&](Name name) {
      if (name >= met_in_.size()) met_in_.resize(std::size_t{name} * 2 + 64, kNoPlace);
      if (met_in_[name] == stack) return;
      met_in_[name] = static_cast<std::uint32_t>(stack);
      of_stack_.push_back(name);
    };
    if (stacks_.by_kind()) {
      add(frame_name(
          frames_.of_text(std::string(name_of(static_cast<MonitorKind>(stacks_.kind(stack)))))));
    }
    if (stacks_.cut(stack)) add(frame_name(StackTree::kCutFrame));
    const std::size_t depth = stacks_.depth(stack);
    for (std::size_t i = 0; i < depth; ++i) {
      add(frame_name(frames_.of(stacks_.method(stack, i),
                                [&](NameId id) { return names_.method(id).qualified; })));
    }
    if (stacks_.has_class(stack)) {
      add(class_name(
          classes_.of(stacks_.class_id(stack), [&](NameId id) { return names_.class_name(id); })));
    }
    return of_stack_;
  }

  void count_names() {
    for (std::size_t i = 0; i < stacks_.size(); ++i) {
      for (const Name name : names_in(i)) {
        if (name >= uses_.size()) uses_.resize(std::size_t{name} * 2 + 64);
        ++uses_[name];
      }
    }
    std::fill(met_in_.begin(), met_in_.end(), kNoPlace);
  }

  void rank_names() {
    std::vector<Name> used;
    for (Name name = 0; name < uses_.size(); ++name) {
      if (uses_[name] > 0) used.push_back(name);
    }
    std::stable_sort(used.begin(), used.end(), [&](Name a, Name b) { return uses_[a] > uses_[b]; });
    ranks_.resize(uses_.size());
    const auto frames = static_cast<std::uint32_t>(tree_.frames.size());
    for (std::uint32_t rank = 0; rank < used.size(); ++rank) {
      ranks_[used[rank]] = rank;
      sets_.order.push_back((used[rank] & 1) != 0 ? frames + (used[rank] >> 1) : used[rank] >> 1);
    }
  }

  // Each as the letters of its names; sets that begin alike are neighbours then.
  void spell_stacks() {
    std::vector<std::uint32_t> ranks;
    for (std::size_t i = 0; i < stacks_.size(); ++i) {
      ranks.clear();
      for (const Name name : names_in(i)) ranks.push_back(ranks_[name]);
      std::sort(ranks.begin(), ranks.end());
      Spelt spelt{spelling_.size(), 0, static_cast<std::uint32_t>(i)};
      std::uint32_t next = 0;
      for (const std::uint32_t rank : ranks) {
        append_number(spelling_, rank - next);
        next = rank + 1;
      }
      spelt.size = static_cast<std::uint32_t>(spelling_.size() - spelt.begin);
      spelt_.push_back(spelt);
    }
    std::sort(spelt_.begin(), spelt_.end(), [&](const Spelt& a, const Spelt& b) {
      return std::pair(letters(a), a.stack) < std::pair(letters(b), b.stack);
    });
  }
  std::string_view letters(const Spelt& spelt) const {
    return std::string_view(spelling_).substr(spelt.begin, spelt.size);
  }

  static bool ends_number(char letter) {
    return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'f');
  }
  static std::uint64_t numbers_in(std::string_view letters) {
    return static_cast<std::uint64_t>(std::count_if(letters.begin(), letters.end(), ends_number));
  }

  void write_sets() {
    std::string_view before;
    for (std::size_t i = 0; i < spelt_.size();) {
      const std::string_view set = letters(spelt_[i]);
      double amount = 0, count = 0;
      for (; i < spelt_.size() && letters(spelt_[i]) == set; ++i) {
        amount += stacks_.amount(spelt_[i].stack);
        count += stacks_.count(spelt_[i].stack);
      }
      auto same = static_cast<std::size_t>(
          std::mismatch(set.begin(), set.end(), before.begin(), before.end()).first - set.begin());
      while (same > 0 && !ends_number(set[same - 1])) --same;
      append_number(sets_.text, numbers_in(before.substr(same)));
      append_number(sets_.text, numbers_in(set.substr(same)));
      sets_.text += set.substr(same);
      if (with_amount_) append_number(sets_.text, whole_figure(amount));
      append_number(sets_.text, whole_figure(count));
      before = set;
    }
  }

  const Stacks& stacks_;
  ReportNames& names_;
  StackTree& tree_;
  const bool with_amount_;
  Places frames_, classes_;
  NameSets sets_;
  std::vector<Name> of_stack_;
  std::vector<std::uint32_t> met_in_;  // by name: the last stack
  std::vector<std::uint32_t> uses_;    // by name: in so many stacks
  std::vector<std::uint32_t> ranks_;   // by name
  std::string spelling_;
  std::vector<Spelt> spelt_;
};

}  // namespace

NameSets name_sets(const SiteSet& sites, ReportNames& names, StackTree& tree) {
  const SiteStacks stacks(sites);
  return NameSetsOf(stacks, names, tree, true).build();
}

NameSets name_sets(const TimeStacks& stacks, ReportNames& names, StackTree& tree,
                   bool with_amount) {
  const StacksOfTime of_time(stacks);
  return NameSetsOf(of_time, names, tree, with_amount).build();
}

}  // namespace ddm
