#include "call_tree_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "core/jvm_text.h"
#include "report/report_words.h"

namespace ddm {
namespace {

constexpr std::size_t kLeastName = 16;  // columns

struct Node {
  std::uint64_t micros = 0;  // its own time and that of its callees, recursive ones too
  std::size_t depth = 0;
  bool shown = false;
  std::vector<std::size_t> callees;
};

class CallTreeText {
 public:
  CallTreeText(const std::vector<TracePath>& paths,
               const std::map<std::uint32_t, std::string>& titles)
      : paths_(paths), titles_(titles), nodes_(paths.size()) {
    for (std::size_t i = paths.size(); i-- > 0;) {
      nodes_[i].micros += paths[i].sum.self_micros;
      if (paths[i].caller >= 0) {
        nodes_[static_cast<std::size_t>(paths[i].caller)].micros += nodes_[i].micros;
      } else {
        all_ += nodes_[i].micros;
      }
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (paths[i].caller < 0) {
        roots_.push_back(i);
        continue;
      }
      Node& caller = nodes_[static_cast<std::size_t>(paths[i].caller)];
      caller.callees.push_back(i);
      nodes_[i].depth = caller.depth + 1;
    }
  }

  bool has_callees() const { return roots_.size() < nodes_.size(); }

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
    const TraceSum& sum = paths_[number].sum;
    const std::string figures =
        fmt::format("{:>11.3f} {:>6.1f} {:>11}  ", static_cast<double>(node.micros) / 1000,
                    100 * static_cast<double>(node.micros) /
                        static_cast<double>(std::max<std::uint64_t>(all_, 1)),
                    grouped(sum.calls));
    const std::size_t room = std::max(width_ - std::min(width_, figures.size()), kLeastName);
    // In a narrow terminal deep calls are told by their order alone.
    const std::size_t indent = std::min(2 * node.depth, room - std::min(room, kLeastName));
    const std::string name = printable(titles_.at(sum.method));
    out_ += figures + std::string(indent, ' ') + shortened_type(name, room - indent) + "\n";
  }

  const std::vector<TracePath>& paths_;
  const std::map<std::uint32_t, std::string>& titles_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> roots_;
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
