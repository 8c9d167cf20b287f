#include "dyper/patched_classes.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "dyper/patching/java_names.h"

namespace ddm {
namespace {

using Code = DyperErrorCode;


// The part of a plan that is about these classes and no others.
bci::PatchPlan narrowed(const bci::PatchPlan& plan, const std::set<std::string>& classes) {
  bci::PatchPlan part;
  part.test_class = plan.test_class;
  for (const bci::MethodPatches& target : plan.methods) {
    for (const std::string& name : classes) {
      const std::string internal = internal_name(name);
      if (!bci::may_patch({{target}, plan.test_class}, internal)) continue;
      part.methods.push_back(target);
      part.methods.back().class_name = internal;
    }
  }
  return part;
}

}  // namespace

void tell_refused(const std::string& class_name, const std::vector<bci::RefusedSite>& refused,
                  std::vector<DyperError>& errors) {
  for (const bci::RefusedSite& site : refused) {
    if (errors.size() >= kMostErrors) return;
    std::string message = site.name + signature_of(site.descriptor) + ", " +
                          std::string(to_string(site.kind)) + ": " +
                          std::string(to_string(site.reason));
    if (!site.detail.empty()) message += " (" + site.detail + ")";
    const bool no_code = site.reason == bci::SkipReason::kNoCode;
    errors.push_back({no_code ? Code::kNotModifiable : Code::kUnsupported, "CLASS", class_name,
                      std::move(message)});
  }
}

// The numbers of the tables, and for those that count a counter in each class. Asked while classes
// are patched, on any thread.
class PatchedClasses::Counters final : public bci::PatchIds {
 public:
  Counters(bci::PatchIds& ids, SinkCells& cells) : ids_(ids), cells_(cells) {}

  std::int32_t class_id(std::string_view class_name) override { return ids_.class_id(class_name); }
  std::int32_t method_id(std::string_view owner, std::string_view name,
                         std::string_view descriptor) override {
    return ids_.method_id(owner, name, descriptor);
  }
  std::int32_t block_id(std::string_view owner, std::string_view name, std::string_view descriptor,
                        std::uint32_t first) override {
    return ids_.block_id(owner, name, descriptor, first);
  }
  std::int32_t counter_of(std::int32_t id, std::string_view class_name) override {
    const std::lock_guard lock(mutex_);
    OfClass& counters = classes_[std::string(class_name)];
    counters.out.reset();
    const auto known = counters.cells.find(id);
    if (known != counters.cells.end()) return known->second;
    const std::int32_t cell = cells_.take_counter();
    if (cell >= 0) counters.cells[id] = cell;
    return cell;
  }

  // The class's patches are out; methods that run go on counting until they return.
  void rest(const std::string& class_name) {
    const std::lock_guard lock(mutex_);
    const auto found = classes_.find(internal_name(class_name));
    if (found != classes_.end()) found->second.out = Clock::now();
  }

  // By number. Counters that have rested are given back.
  std::map<std::int32_t, std::int64_t> read(JNIEnv* jni) {
    const std::lock_guard lock(mutex_);
    if (classes_.empty()) return kept_;
    const std::vector<std::int64_t> counts = cells_.read(jni);
    std::map<std::int32_t, std::int64_t> all = kept_;
    for (auto at = classes_.begin(); at != classes_.end();) {
      const bool gone = at->second.out && Clock::now() - *at->second.out > kRest;
      for (const auto& [id, cell] : at->second.cells) {
        const std::int64_t count = counts[static_cast<std::size_t>(cell)];
        all[id] += count;
        if (!gone) continue;
        kept_[id] += count;
        cells_.give_back_counter(cell);
      }
      at = gone ? classes_.erase(at) : std::next(at);
    }
    return all;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kRest{5};
  struct OfClass {
    std::map<std::int32_t, std::int32_t> cells;  // by number
    std::optional<Clock::time_point> out;        // since when its patches are
  };

  bci::PatchIds& ids_;
  SinkCells& cells_;
  std::mutex mutex_;  // of what follows
  std::map<std::string, OfClass> classes_;
  std::map<std::int32_t, std::int64_t> kept_;  // of counters given back, by number
};

PatchedClasses::PatchedClasses(bci::PatchIds& ids, SinksClass& sinks)
    : sinks_(sinks), counters_(std::make_shared<Counters>(ids, sinks.cells())) {}

PatchedClasses::~PatchedClasses() = default;

bool PatchedClasses::start(JNIEnv* jni, std::vector<DyperError>& errors) {
  if (patches_) return true;
  std::string error;
  patches_ = Patches::create(jni, sinks_, error);
  if (!patches_) errors.push_back({Code::kUnsupported, "", "", std::move(error)});
  return patches_ != nullptr;
}

std::set<std::string> PatchedClasses::of(const std::string& model) const {
  std::set<std::string> classes;
  for (const Placed& one : placed_) {
    if (one.model == model) classes.insert(one.classes.begin(), one.classes.end());
  }
  return classes;
}

void PatchedClasses::put_in(JNIEnv* jni, const std::string& model, const LinkedPlan& linked,
                            ClassFiles classes, std::vector<DyperError>& errors) {
  if (!start(jni, errors)) return;
  for (const Placed& other : placed_) {
    if (other.model == model) continue;
    for (const std::string& name : other.classes) {
      if (classes.erase(name) == 0) continue;
      errors.push_back({Code::kBusy, "CLASS", name, "it has patches of model " + other.model});
    }
  }
  std::set<std::string> meant;
  for (const auto& [name, bytes] : classes) meant.insert(name);
  take_out(jni, model, meant);
  Placed placed{model, 0, {}, linked.may_have, {}};
  for (const auto& [name, bytes] : classes) {
    if (bci::may_patch(linked.plan, internal_name(name))) placed.classes.insert(name);
  }
  if (placed.classes.empty()) return;
  std::erase_if(classes, [&](const auto& one) { return !placed.classes.contains(one.first); });
  placed.plan = narrowed(linked.plan, placed.classes);
  if (place(jni, std::move(placed), errors)) unpatched_.merge(classes);
}

bool PatchedClasses::place(JNIEnv* jni, Placed placed, std::vector<DyperError>& errors) {
  std::string error;
  placed.number = patches_->put_in(jni, std::make_shared<bci::PatchPlan>(placed.plan), counters_,
                                   error, placed.may_have);
  if (placed.number == 0) {
    errors.push_back({Code::kUnsupported, "", "", std::move(error)});
    return false;
  }
  if (const auto report = patches_->report(placed.number)) {
    for (const Patches::PatchedClass& one : report->classes) {
      std::string name = one.name;
      std::replace(name.begin(), name.end(), '/', '.');
      tell_refused(name, one.refused, errors);
      if (!one.failed.empty()) errors.push_back({Code::kVerify, "CLASS", name, one.failed});
    }
  }
  placed_.push_back(std::move(placed));
  return true;
}

void PatchedClasses::take_out(JNIEnv* jni, const std::string& model,
                              const std::set<std::string>& classes) {
  std::vector<Placed> changed;
  std::erase_if(placed_, [&](Placed& one) {
    const bool is_meant = one.model == model &&
                          std::any_of(classes.begin(), classes.end(), [&](const std::string& name) {
                            return one.classes.contains(name);
                          });
    if (is_meant) changed.push_back(std::move(one));
    return is_meant;
  });
  for (Placed& one : changed) {
    std::set<std::string> kept;
    std::set_difference(one.classes.begin(), one.classes.end(), classes.begin(), classes.end(),
                        std::inserter(kept, kept.end()));
    for (const std::string& name : one.classes) {
      if (!kept.contains(name)) unpatched_.erase(name);
    }
    patches_->take_out(jni, one.number);
    for (const std::string& name : one.classes) {
      if (!kept.contains(name)) counters_->rest(name);
    }
    (void)counters_->read(jni);  // gives back what has rested
    if (kept.empty()) continue;
    std::vector<DyperError> told_before;
    if (!place(jni, {one.model, 0, narrowed(one.plan, kept), one.may_have, kept}, told_before)) {
      for (const std::string& name : kept) {
        unpatched_.erase(name);
        counters_->rest(name);
      }
    }
  }
}

void PatchedClasses::write_counters(JNIEnv* jni, XmlWriter& xml) const {
  for (const auto& [id, count] : counters_->read(jni)) {
    xml.open("RTITEM").attribute("COUNTER", id).attribute("COUNT", count).close();
  }
}

}  // namespace ddm
