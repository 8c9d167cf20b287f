#include "call_tree_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "core/jvm_text.h"
#include "report/report_words.h"

namespace ddm {
namespace {

constexpr std::size_t kLeastName = 16;  // columns
constexpr std::size_t kNoNode = ~std::size_t{0};

struct Node {
  std::uint32_t method = 0;
  std::uint64_t micros = 0;  // its own time and that of its callees, recursive ones too
  std::uint64_t calls = 0;
  std::size_t caller = kNoNode;
  std::size_t depth = 0;
  std::size_t levels = 1;  // at which the method called itself, the outermost one included
  bool shown = false;
  std::vector<std::size_t> callees;
};

// A tree in which direct recursion is folded: a method that calls itself is one node, with the
// callees of all its levels.
class CallTreeText {
 public:
  CallTreeText(const std::vector<TracePath>& paths,
               const std::map<std::uint32_t, std::string>& titles)
      : titles_(titles) {
    std::vector<std::pair<std::size_t, std::size_t>> places;  // of each way: its node and level
    for (const TracePath& path : paths) {
      std::size_t number = kNoNode, level = 1;
      if (path.caller >= 0) {
        const auto [caller, callers_level] = places[static_cast<std::size_t>(path.caller)];
        const bool again = nodes_[caller].method == path.sum.method;
        number = again ? caller : node_of(caller, path.sum.method);
        if (again) level = callers_level + 1;
      } else {
        number = node_of(kNoNode, path.sum.method);
      }
      Node& node = nodes_[number];
      node.micros += path.sum.self_micros;
      node.calls += path.sum.calls;
      node.levels = std::max(node.levels, level);
      places.emplace_back(number, level);
    }
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      if (nodes_[i].caller == kNoNode) {
        all_ += nodes_[i].micros;
      } else {
        nodes_[nodes_[i].caller].micros += nodes_[i].micros;
      }
    }
    has_callees_ = roots_.size() < paths.size();
  }

  bool has_callees() const { return has_callees_; }

  std::string text(std::size_t most, std::size_t width) {
    const std::size_t left_out = choose(most);
    width_ = width;
    out_ = fmt::format("{:>11} {:>6} {:>11}  {}\n", "TOTAL ms", "%", "CALLS", "CALL TREE");
    add(roots_);
    if (left_out > 0) {
      out_ += fmt::format("and {} of 1 % and more\n", counted(left_out, "more way"));
    }
    return std::move(out_);
  }

 private:
  std::size_t node_of(std::size_t caller, std::uint32_t method) {
    const auto [at, fresh] = numbers_.try_emplace({caller, method}, nodes_.size());
    if (!fresh) return at->second;
    (caller == kNoNode ? roots_ : nodes_[caller].callees).push_back(at->second);
    Node& node = nodes_.emplace_back();
    node.method = method;
    node.caller = caller;
    if (caller != kNoNode) node.depth = nodes_[caller].depth + 1;
    return at->second;
  }

  // A caller takes no less time than its callee and has a smaller number, so it is shown as well.
  std::size_t choose(std::size_t most) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].micros * 100 >= all_) order.push_back(i);
    }
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::size_t i) { return nodes_[i].micros; });
    const std::size_t count = std::min(most, order.size());
    for (std::size_t i = 0; i < count; ++i) nodes_[order[i]].shown = true;
    return order.size() - count;
  }

  void add(std::vector<std::size_t> numbers) {
    std::ranges::stable_sort(numbers, std::greater<>(),
                             [&](std::size_t i) { return nodes_[i].micros; });
    for (const std::size_t i : numbers) {
      if (!nodes_[i].shown) break;
      add_line(i);
      add(nodes_[i].callees);
    }
  }

  void add_line(std::size_t number) {
    const Node& node = nodes_[number];
    const std::string figures =
        fmt::format("{:>11.3f} {:>6.1f} {:>11}  ", static_cast<double>(node.micros) / 1000,
                    100 * static_cast<double>(node.micros) /
                        static_cast<double>(std::max<std::uint64_t>(all_, 1)),
                    grouped(static_cast<std::int64_t>(node.calls)));
    const std::size_t room = std::max(width_ - std::min(width_, figures.size()), kLeastName);
    const std::string deep =
        node.levels == 1
            ? ""
            : fmt::format(" ({} deep)", grouped(static_cast<std::int64_t>(node.levels)));
    const std::size_t least = kLeastName + deep.size();
    // In a narrow terminal deep calls are told by their order alone.
    const std::size_t indent = std::min(2 * node.depth, room - std::min(room, least));
    const std::size_t left = room - indent - std::min(room - indent, deep.size());
    const std::string name = shortened_type(printable(titles_.at(node.method)), left);
    out_ += figures + std::string(indent, ' ') + name + deep + "\n";
  }

  const std::map<std::uint32_t, std::string>& titles_;
  std::vector<Node> nodes_;  // callers before what they called
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> numbers_;  // by caller and method
  std::vector<std::size_t> roots_;
  bool has_callees_ = false;
  std::uint64_t all_ = 0;
  std::size_t width_ = 0;
  std::string out_;
};

}  // namespace

std::string call_tree_text(const TraceSums& sums,
                           const std::map<std::uint32_t, std::string>& titles, std::size_t most,
                           std::size_t width) {
  CallTreeText tree(sums.paths, titles);
  return tree.has_callees() ? tree.text(most, width) : "";
}

}  // namespace ddm
