// Builds the tree of merged stacks in one pass over the records or sites.
#include "report/report_stacks.h"

#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "allocations/store/weighted_sum.h"

namespace ddm {
namespace {

constexpr std::uint32_t kNotYet = std::numeric_limits<std::uint32_t>::max();

// Interns texts as dense indices, with a shortcut by id.
class Interned {
 public:
  explicit Interned(std::vector<std::string>& texts) : texts_(texts) {}

  template <typename TextOf>
  std::uint32_t index(NameId id, TextOf text_of) {
    const auto [known, fresh] = by_id_.emplace(id, kNotYet);
    if (fresh) {
      const auto [at, unseen] = by_text_.emplace(text_of(id), texts_.size());
      if (unseen) texts_.push_back(at->first);
      known->second = at->second;
    }
    return known->second;
  }

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<NameId, std::uint32_t> by_id_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
};

class TreeBuilder {
 public:
  explicit TreeBuilder(StackTree& tree) : tree_(tree) { tree_.nodes.emplace_back(); }

  std::uint32_t child(std::uint32_t parent, std::uint32_t name, bool is_class) {
    // Names are far fewer than 2^31, so the flag fits next to the index.
    const std::uint64_t key = std::uint64_t{parent} << 32 | name << 1 | (is_class ? 1u : 0u);
    const auto next = static_cast<std::uint32_t>(tree_.nodes.size());
    const auto [at, fresh] = children_.emplace(key, next);
    if (fresh) tree_.nodes.push_back({parent, name, is_class, 0, 0});
    return at->second;
  }

 private:
  StackTree& tree_;
  std::unordered_map<std::uint64_t, std::uint32_t> children_;
};

class StackTreeBuilder {
 public:
  explicit StackTreeBuilder(ReportNames& names) : names_(names) {
    tree_.frames.emplace_back(kDeeperFramesCut);
  }

  // The leaf node of a stack.
  std::uint32_t leaf(std::span<const Frame> frames, bool cut, NameId class_id) {
    std::uint32_t node = 0;
    if (cut) node = builder_.child(node, StackTree::kCutFrame, false);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      const std::uint32_t name =
          frame_texts_.index(frame->method, [&](NameId id) { return names_.method(id).qualified; });
      node = builder_.child(node, name, false);
    }
    const std::uint32_t name =
        class_texts_.index(class_id, [&](NameId id) { return names_.class_name(id); });
    return builder_.child(node, name, true);
  }
  StackTree& tree() { return tree_; }

 private:
  ReportNames& names_;
  StackTree tree_;
  Interned frame_texts_{tree_.frames};
  Interned class_texts_{tree_.classes};
  TreeBuilder builder_{tree_};
};

}  // namespace

StackTree stack_tree_of(const RecordSet& records, ReportNames& names) {
  StackTreeBuilder builder(names);
  std::unordered_map<std::uint32_t, WeightedSum> leaves;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto [record, frames] = records[i];
    const bool cut = (record.flags & kStackTruncated) != 0;
    leaves[builder.leaf(frames, cut, record.class_id)].add(record);
  }
  StackTree& tree = builder.tree();
  for (const auto& [node, sum] : leaves) {
    tree.nodes[node].amount = sum.bytes();
    tree.nodes[node].count = sum.count();
  }
  return std::move(tree);
}

StackTree stack_tree_of(const SiteSet& sites, ReportNames& names) {
  StackTreeBuilder builder(names);
  SiteSet::FrameBuffer buffer;
  for (const Site& site : sites.list()) {
    const std::uint32_t leaf =
        builder.leaf(sites.frames(site, buffer), sites.cut(site), site.class_id);
    StackTree::Node& node = builder.tree().nodes[leaf];
    node.amount += site.bytes;
    node.count += site.count;
  }
  return std::move(builder.tree());
}

}  // namespace ddm
