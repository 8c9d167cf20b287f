// The collapsed report: one merged stack per line, the input of flame graph scripts.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/report.h"
#include "report/report_names.h"
#include "report/report_stacks.h"
#include "report/report_time.h"

namespace ddm {
namespace {

// The format has no escapes: ';' separates frames, the last blank separates stack and number.
std::vector<std::string> without_separators(std::vector<std::string> texts) {
  for (std::string& text : texts) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == ';' || c == ' '; }, '_');
  }
  return texts;
}

}  // namespace

std::string collapsed_report(const ReportData& data) {
  ReportNames names(data.names);
  if (has_time_only(data)) return collapsed_time(data.time, names);
  // Stacks of small sites are shortened as in jsonl, or the file would have hundreds of megabytes.
  StackTree tree = data.sites.counted() ? stack_tree_of(data.sites.folded(kSpeltOutFrames), names)
                                        : stack_tree_of(data.records, names);
  const std::vector<std::string> frames = without_separators(std::move(tree.frames));
  const std::vector<std::string> classes = without_separators(std::move(tree.classes));

  // Remarks can only be an outermost frame.
  std::vector<std::string> root;
  if (data.summary.sampled()) {
    root = without_separators({fmt::format("[estimated: {}]", sampling_words(data.summary))});
  }

  std::vector<std::pair<std::string, std::int64_t>> stacks;
  std::vector<std::uint32_t> path;
  for (const StackTree::Node& leaf : tree.nodes) {
    if (!leaf.is_class) continue;
    path.clear();
    for (std::uint32_t at = leaf.parent; at != 0; at = tree.nodes[at].parent) path.push_back(at);
    std::string stack;
    for (const std::string& remark : root) stack.append(remark).append(1, ';');
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      stack.append(frames[tree.nodes[*at].name]).append(1, ';');
    }
    stack.append(classes[leaf.name]).append("_[new]");
    stacks.emplace_back(std::move(stack), leaf.amount);
  }
  std::sort(stacks.begin(), stacks.end());

  std::string out;
  for (std::size_t i = 0; i < stacks.size();) {
    const std::string& stack = stacks[i].first;
    std::int64_t bytes = 0;
    // Different leaves may have equal text, if names contain separators.
    for (; i < stacks.size() && stacks[i].first == stack; ++i) bytes += stacks[i].second;
    out += fmt::format("{} {}\n", stack, bytes);
  }
  return out;
}

}  // namespace ddm
