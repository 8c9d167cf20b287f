// What a page knows of all stacks, read as its script reads it.
#include "report/name_sets.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "report/site_tree.h"
#include "report_sample.h"

namespace ddm {
namespace {

struct Figures {
  std::int64_t bytes = 0, count = 0;
  friend bool operator==(const Figures&, const Figures&) = default;
};
using Names = std::set<std::string>;
using Sets = std::map<Names, Figures>;

// The names of frames, and those of classes with "new " before them.
Sets read(const NameSets& sets, const StackTree& tree) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::size_t at = 0;
  const auto number = [&] {
    std::int64_t sum = 0, unit = 1;
    for (;; unit *= 32) {
      const auto digit = static_cast<std::int64_t>(letters.find(sets.text.at(at++)));
      sum += digit % 32 * unit;
      if (digit < 32) return sum;
    }
  };
  Sets result;
  std::vector<std::int64_t> ranks;
  while (at < sets.text.size()) {
    ranks.resize(ranks.size() - static_cast<std::size_t>(number()));
    for (std::int64_t more = number(); more > 0; --more) {
      ranks.push_back((ranks.empty() ? 0 : ranks.back() + 1) + number());
    }
    Names names;
    for (const std::int64_t rank : ranks) {
      const std::uint32_t place = sets.order.at(static_cast<std::size_t>(rank));
      const std::size_t frames = tree.frames.size();
      names.insert(place < frames ? tree.frames[place] : "new " + tree.classes.at(place - frames));
    }
    Figures& figures = result[names];
    CHECK(figures.count == 0);  // each once
    figures.bytes = number();
    figures.count = number();
  }
  return result;
}

// `stacks` different ones of 30 methods and 5 classes, one of them with nearly all the bytes.
struct SetsSample : ReportSample {
  std::shared_ptr<Sites> sites = Sites::create(16384, 16);
  Sets truth;
  Figures all;

  explicit SetsSample(int stacks) {
    std::mt19937 random(4711);
    std::vector<Frame> methods;
    for (int i = 0; i < 30; ++i) {
      methods.push_back(frame("a.C" + std::to_string(i / 3), "m" + std::to_string(i), "C.java", i));
    }
    for (int i = 0; i < stacks; ++i) {
      std::vector<Frame> stack(1 + random() % 20);
      for (Frame& one : stack) one = methods[random() % methods.size()];
      const std::string type = "a.Type" + std::to_string(random() % 5);
      const std::int64_t size = 8 + 8 * static_cast<std::int64_t>(random() % 4);
      const double weight = i == 0 ? 10'000'000 : 1;
      const TraceNumber trace = sites->traces().number_of(stack);
      sites->count({names.add_class(type), trace, size, weight});
      Names made{"new " + type};
      if (stack.size() > 16) {
        made.insert(std::string(kDeeperFramesCut));
        stack.resize(16);
      }
      for (const Frame& one : stack) {
        const MethodName& method = names.method(one.method);
        made.insert(method.class_name + "." + method.method);
      }
      const Figures more{size * static_cast<std::int64_t>(weight),
                         static_cast<std::int64_t>(weight)};
      for (Figures* sum : {&truth[made], &all}) {
        sum->bytes += more.bytes;
        sum->count += more.count;
      }
    }
    const auto held = sites->hold();
    data.sites = SiteSet(sites, sites->sums(), {}, all.count, all.bytes);
    data.summary.seen = all.count;
    data.summary.seen_bytes = all.bytes;
  }
};

}  // namespace

TEST_CASE("The sets of names are those of all stacks, whatever stands together in the tree") {
  const SetsSample sample(2000);
  ReportNames names(&sample.names);
  StackTree tree = site_tree(sample.data.sites, names, TreeOrder::kRootFirst, 20'000);
  REQUIRE(tree.nodes.size() < 100);
  const NameSets sets = name_sets(sample.data.sites, names, tree);
  CHECK(read(sets, tree) == sample.truth);
  CHECK(tree.frames.size() == 31);
  CHECK(tree.classes.size() == 6);
  CHECK(sets.order.size() == 36);
}

TEST_CASE("A tree that shows every stack needs no sets of names") {
  const SetsSample sample(1);
  ReportNames names(&sample.names);
  StackTree tree = site_tree(sample.data.sites, names, TreeOrder::kRootFirst, 20'000);
  const NameSets sets = name_sets(sample.data.sites, names, tree);
  CHECK(sets.text.empty());
  CHECK(html_report(sample.data).find("\"sets\":") == std::string::npos);
  CHECK(html_report(SetsSample(2000).data).find("\"sets\":{\"order\":[") != std::string::npos);
}

}  // namespace ddm
