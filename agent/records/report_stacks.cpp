// Builds the tree of merged stacks in one pass over the records.
#include "records/report_stacks.h"

#include <limits>
#include <string_view>
#include <unordered_map>

#include "records/weighted_sum.h"

namespace ddm {
namespace {

constexpr std::uint32_t kNotYet = std::numeric_limits<std::uint32_t>::max();

// Text -> dense index, with a shortcut from the id that the text came from.
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
    // Names are far fewer than 2^31, so the flag fits beside the index.
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

}  // namespace

StackTree stack_tree_of(const RecordSet& records, ReportNames& names) {
  StackTree tree;
  tree.frames.emplace_back("[deeper frames cut]");
  Interned frame_texts(tree.frames);
  Interned class_texts(tree.classes);
  TreeBuilder builder(tree);
  std::unordered_map<std::uint32_t, WeightedSum> leaves;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto [record, frames] = records[i];
    std::uint32_t node = 0;
    if ((record.flags & kStackTruncated) != 0) {
      node = builder.child(node, StackTree::kCutFrame, false);
    }
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      const std::uint32_t name =
          frame_texts.index(frame->method, [&](NameId id) { return names.method(id).qualified; });
      node = builder.child(node, name, false);
    }
    const std::uint32_t name =
        class_texts.index(record.class_id, [&](NameId id) { return names.class_name(id); });
    node = builder.child(node, name, true);
    leaves[node].add(record);
  }
  for (const auto& [node, sum] : leaves) {
    tree.nodes[node].bytes = sum.bytes();
    tree.nodes[node].count = sum.count();
  }
  return tree;
}

}  // namespace ddm
