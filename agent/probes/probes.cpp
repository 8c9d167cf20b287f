#include "probes/probes.h"

#include <algorithm>
#include <future>
#include <utility>

#include "core/class_names.h"
#include "core/exit_limits.h"
#include "core/log.h"
#include "probes/loaded_sites.h"
#include "vm/class_changes/class_changes.h"
#include "vm/class_methods.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// Bytes of records sent when the program ends: few enough for a socket to accept without waiting.
constexpr std::size_t kMostAtTheEnd = std::size_t{64} << 10;

constexpr const char* kNotInYet =
    "changing classes has stood still for 5 s, for another agent's transformer perhaps: "
    "probes that are not in yet go in when it goes on";
constexpr const char* kLateNote =
    "changing classes had stood still, for another agent's transformer perhaps: "
    "probes went in late";
constexpr const char* kStay =
    "these classes have been changed so often that the VM would soon stop compiling what calls "
    "them (PerMethodRecompilationCutoff): the probes stay in their code, closed, until something "
    "else is put into it";
constexpr const char* kNotOutYet =
    "changing classes has stood still for 5 s, for another agent's transformer perhaps: "
    "probes that are not out yet go out when it goes on";

}  // namespace

Probes::Probes(jvmtiEnv* jvmti, HitBudget& budget, Naming naming)
    : jvmti_(jvmti),
      budget_(budget),
      patches_(budget.patches()),
      cells_(patches_.sinks().cells()),
      naming_(std::move(naming)),
      records_(cells_),
      code_(jvmti, patches_.sinks(), records_) {
  patches_.sinks().set_receiver(records_);
}

template <typename Work, typename WorkAnswer>
void Probes::run(JNIEnv* jni, Work work, WorkAnswer answer) {
  std::string error = budget_.thread().run_soon(
      jni, [work = std::move(work), answer](JNIEnv* own) { answer(work(own)); });
  if (!error.empty()) answer(Error{std::move(error)});
}

void Probes::install(JNIEnv* jni, Owner owner, ProbeRequest request, Answer answer, Last last) {
  run(
      jni,
      [this, owner, request = std::move(request), last = std::move(last)](JNIEnv* own) {
        return begin(own, owner, request, last);
      },
      std::move(answer));
}

void Probes::read(JNIEnv* jni, Owner owner, bool with_records, bool with_notes, Answer answer) {
  run(
      jni,
      [this, owner, with_records, with_notes](JNIEnv* own) {
        return findings(own, owner, with_records,
                        with_notes ? notes(own, owner) : std::vector<std::string>());
      },
      std::move(answer));
}

void Probes::remove(JNIEnv* jni, Owner owner, Answer answer) {
  run(
      jni, [this, owner](JNIEnv* own) { return end(own, owner); }, std::move(answer));
}

void Probes::program_ends() {
  if (!on_) return;
  budget_.end_changes();
  const auto sending = std::make_shared<std::promise<void>>();
  const auto sent = sending->get_future();
  const bool posted = budget_.thread().post([this, sending](JNIEnv* own) {
    for (const Owned& owned : owners_) {
      if (owned.leaving || !owned.last) continue;
      std::vector<std::string> last_notes = notes(own, owned.owner);
      const bool few = records_.limit(owned.owner).text < kMostAtTheEnd;
      if (!few) last_notes.push_back("the program ended: hits that were recorded are not shown");
      owned.last(findings(own, owned.owner, few, std::move(last_notes)));
    }
    sending->set_value();
  });
  if (posted) sent.wait_for(exit_limits::kFindingsLimit);
}

void Probes::disconnected(Owner owner) {
  if (!on_) return;
  budget_.thread().post([this, owner](JNIEnv* own) {
    if (end(own, owner)) log_info("probes: their connection has gone, and so have they");
  });
}

void Probes::outlook(JNIEnv* jni, OutlookRequest request, Outlook answer) {
  run(
      jni, [this, request = std::move(request)](JNIEnv* own) { return read_outlook(own, request); },
      std::move(answer));
}

Result<ClassOutlook> Probes::read_outlook(JNIEnv* jni, const OutlookRequest& request) {
  for (const std::string& patterns : {request.methods, request.more}) {
    if (std::string fault = MethodFilter::fault(patterns); !fault.empty()) return Error{fault};
  }
  std::string error;
  ClassHooks* const hooks = this->hooks(jni, error);
  if (hooks == nullptr) return Error{error};
  MethodFilter filter(request.methods);
  if (!request.more.empty()) filter.add(request.more);
  std::optional<ProbeSpec> spec;
  if (request.line) {
    auto parsed = parse_probe(
        {.methods = request.methods, .line = *request.line, .field = request.field.value_or("")});
    if (!parsed) return parsed.error();
    spec = std::move(*parsed);
  }
  jvmtiEnv* const jvmti = hooks->jvmti();
  ClassOutlook outlook;
  outlook.many = class_changes::many();
  std::map<std::string, std::uint32_t> changed;
  const auto is_concerned = [&](jclass klass) {
    jboolean changes = JNI_FALSE;  // no hidden class does
    if (jvmti->IsModifiableClass(klass, &changes) != JVMTI_ERROR_NONE || !changes) return false;
    return hooks->is_class(jni, klass, [&](std::string_view name, bool is_platform) {
      if (!filter.may_want_class(name, is_platform)) return false;
      if (spec) return LoadedSites(jvmti_, klass, name).any_of(filter, is_platform, *spec);
      return has_method(jvmti, klass, [&](std::string_view method, std::string_view descriptor) {
        return filter.wants(name, method, descriptor, is_platform);
      });
    });
  };
  outlook.running = running_->running_in(jni, is_concerned);
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  const LocalFrame frame(jni, 64);
  if (!frame.good() || jvmti->GetLoadedClasses(&count, classes.out()) != JVMTI_ERROR_NONE) {
    return outlook;
  }
  for (jint i = 0; i < count; ++i) {
    const LocalRef<jclass> klass(jni, classes[i]);
    const ClassSignature signature(jvmti, klass.get());
    const std::uint32_t changes = class_changes::count(internal_name_of(text_of(signature)));
    if (outlook.many == 0 || changes < outlook.many || !is_concerned(klass.get())) continue;
    changed[type_name_of(text_of(signature))] = changes;
  }
  outlook.changed.assign(changed.begin(), changed.end());
  return outlook;
}

ClassHooks* Probes::hooks(JNIEnv* jni, std::string& error) {
  ClassHooks* const hooks = patches_.hooks(jni, error);
  if (hooks != nullptr && !running_) running_ = std::make_unique<RunningMethods>(hooks->jvmti());
  return hooks;
}

// Succeeds once; repeated after a failure.
std::string Probes::prepare(JNIEnv* jni) {
  std::string error;
  if (hooks(jni, error) == nullptr) return error;
  error = patches_.add(jni, code_);
  if (error.empty()) error = records_.open(jvmti_, jni, naming_(jni));
  return error;
}

void Probes::update_budget(JNIEnv* jni) {
  if (owners_.empty()) return budget_.remove_user(*this);
  const auto of_agent = static_cast<std::uint32_t>(budget_.option_percent());
  const auto percent = [of_agent](const Owned& owned) {
    return owned.budget > 0 ? owned.budget : of_agent;
  };
  const Owned& least = *std::ranges::min_element(owners_, {}, percent);
  budget_.add_user(jni, *this, least.budget);  // 0: the agent's, which may be given anew
}

Result<ProbeFindings> Probes::begin(JNIEnv* jni, Owner owner, ProbeRequest request, Last last) {
  for (const Owned& owned : owners_) {
    if (owned.owner != owner) continue;
    return Error{owned.leaving ? "the earlier probes of this connection are not out yet"
                               : "this connection has probes in; PRBE takes them out"};
  }
  if (request.depth.value_or(0) > ProbeRequest::kMostDepth) {
    return Error{"objects are shown to a depth of at most 5"};
  }
  auto spec = parse_probe(std::move(request));
  if (!spec) return spec.error();
  for (ProbeComparison& comparison : spec->conditions) {
    if (!patches_.sinks().paths().number(comparison)) {
      return Error{"conditions of probes have used too many paths in this program"};
    }
  }
  if (std::string error = prepare(jni); !error.empty()) {
    if (owners_.empty() && !code_.any_set()) patches_.remove(code_);
    return Error{error};
  }
  owners_.push_back({owner, spec->request.budget, std::move(last)});
  on_ = true;
  update_budget(jni);
  const std::vector<std::int64_t> counts = cells_.read(jni);
  start_charging(counts);
  if (code_.adopt(jni, owner, *spec, budget_.limit_percent(), counts)) {
    budget_.patches_installed();
    return findings(jni, owner, false, notes(jni, owner));
  }
  running_->before_rewriting(jni);
  for (const Owner gone : code_.drop_parked(spec->request.methods)) {
    owners_.insert(owners_.begin(), {gone, 0, {}, false, true});
  }
  code_.add(owner, std::move(*spec), budget_.limit_percent());
  owners_.back().late = !bring_up_to_date(jni);
  running_->after_rewriting(jni);
  budget_.patches_installed();
  return findings(jni, owner, false, notes(jni, owner));
}

Result<ProbeFindings> Probes::end(JNIEnv* jni, Owner owner) {
  const auto find = [this, owner] {
    return std::ranges::find_if(
        owners_, [owner](const Owned& owned) { return owned.owner == owner && !owned.leaving; });
  };
  if (find() == owners_.end()) return Error{"this connection has no probes in; PRBS puts some in"};
  std::vector<std::string> last_notes = notes(jni, owner);
  const bool stays = !held_up_ && code_.may_stay(owner);
  if (stays) {
    last_notes.push_back(kStay);
  } else {
    code_.remove(owner);
  }
  const bool out = stays || bring_up_to_date(jni);
  if (!out) {
    std::erase(last_notes, kNotInYet);
    last_notes.push_back(kNotOutYet);
  }
  ProbeFindings found = findings(jni, owner, true, std::move(last_notes));
  for (const auto& [number, probe] : code_.probes()) {
    if (probe.set == owner) records_.end(jni, probe.cell);
  }
  if (stays) code_.park(owner);
  find()->leaving = true;
  if (out) drop(jni, owner);
  return found;
}

// Called when no class has the owner's probes any more.
void Probes::drop(JNIEnv* jni, Owner owner) {
  std::erase_if(owners_, [owner](const Owned& owned) { return owned.owner == owner; });
  records_.forget(owner);
  code_.forget(owner);
  const auto left = code_.probes();
  std::erase_if(charged_, [&left](const auto& one) { return !left.contains(one.first); });
  update_budget(jni);
  if (!owners_.empty()) return;
  on_ = false;
  charged_.clear();
  // While a set is left, parked ones too, probes stay in when another agent changes their classes.
  if (!code_.any_set()) patches_.remove(code_);
}

// Hits from before the first reading are not charged to anybody.
void Probes::start_charging(const std::vector<std::int64_t>& counts) {
  for (const auto& [number, probe] : code_.probes()) {
    if (probe.cell >= 0 && !charged_.contains(number))
      charged_[number].hits.since(counts, probe.cell);
  }
}

// Installs the current sets of probes in all loaded classes. False: the change is blocked.
bool Probes::bring_up_to_date(JNIEnv* jni) {
  const auto outcome = budget_.change_classes(jni, [this](JNIEnv* aside) {
    const auto added = code_.adding();
    patches_.bring_up_to_date(aside, code_,
                              [this](jclass klass, std::string_view name, bool is_platform) {
                                return code_.comes_or_goes(klass, name, is_platform);
                              });
    code_.settled(added);
  });
  held_up_ = outcome != SideThread::Outcome::kDone;
  again_ = held_up_ && outcome != SideThread::Outcome::kGoesOn;
  if (!held_up_) drop_leaving(jni);
  return !held_up_;
}

void Probes::drop_leaving(JNIEnv* jni) {
  for (const Owned& owned : std::vector(owners_)) {
    if (owned.leaving) drop(jni, owned.owner);
  }
}

void Probes::finish_change(JNIEnv* jni) {
  if (!held_up_ || !budget_.changes_are_done()) return;
  if (again_) {
    bring_up_to_date(jni);
  } else {
    held_up_ = false;
    drop_leaving(jni);
  }
}

std::vector<std::string> Probes::notes(JNIEnv* jni, Owner owner) {
  std::vector<std::string> notes = code_.notes(owner);
  for (const Owned& owned : owners_) {
    if (owned.owner == owner && owned.late) notes.push_back(held_up_ ? kNotInYet : kLateNote);
  }
  notes.insert(notes.end(), budget_.messages().begin(), budget_.messages().end());
  if (std::string over = budget_.over_limit(); !over.empty()) notes.push_back(std::move(over));
  const auto probes = code_.probes();
  for (const std::string& running : running_ ? running_->still_running(jni) : notes) {
    for (const auto& [number, probe] : probes) {
      if (probe.set != owner || !probe.removed.empty()) continue;
      if (type_name_of("L" + probe.class_name + ";") + "." + probe.method != running) continue;
      notes.push_back(running + " runs since before it had its probe: that call is not seen");
      break;
    }
  }
  if (records_.limit(owner).full) {
    notes.push_back("later hits were counted, but not recorded: there is no room for more of them");
  }
  return notes;
}

ProbeFindings Probes::findings(JNIEnv* jni, Owner owner, bool with_records,
                               std::vector<std::string> notes) {
  ProbeFindings found;
  found.notes = std::move(notes);
  found.limit_percent = static_cast<std::uint32_t>(budget_.limit_percent());
  found.used_millis = static_cast<std::uint32_t>(std::min(budget_.used_percent(), 1e6) * 1000);
  const auto probes = code_.probes();
  const std::vector<std::int64_t> sums = cells_.read(jni);
  // A counter that was taken after this reading has no hits yet.
  const auto sum = [&](std::int32_t cell) {
    const auto at = static_cast<std::size_t>(cell);
    return at < sums.size() ? static_cast<std::uint64_t>(sums[at]) : 0;
  };
  for (const auto& [number, probe] : probes) {
    if (probe.set != owner) continue;
    ProbeFindings::Method& method = found.methods.emplace_back();
    method.class_name = type_name_of("L" + probe.class_name + ";");
    method.method = probe.method;
    method.signature = probe.descriptor;
    method.removed = probe.removed;
    if (probe.cell < 0) continue;
    method.hits = sum(probe.cell + kHitsCell) - static_cast<std::uint64_t>(probe.hits_before);
    if (probe.timed) {
      method.ns = sum(probe.cell + kTotalCell);
      for (std::int32_t time = 0; time < kTimeCells; ++time) {
        method.times.push_back(sum(probe.cell + kTimesCell + time));
      }
    }
    if (with_records) method.records = records_.found(probe.cell);
  }
  return found;
}

std::vector<ProbeBudget::Cost> Probes::new_costs(JNIEnv* jni, const HitCosts& costs,
                                                 const std::vector<std::int64_t>& counts) {
  finish_change(jni);
  std::vector<ProbeBudget::Cost> spent;
  for (const auto& [number, probe] : code_.probes()) {
    if (probe.cell < 0) continue;
    Charged& charged = charged_[number];
    const HitCounts hits = charged.hits.since(counts, probe.cell);
    const ProbeRecords::Cost now = records_.cost(probe.cell);
    const ProbeRecords::Cost before = std::exchange(charged.records, now);
    const double recorded =
        now.ns - before.ns + static_cast<double>(now.calls - before.calls) * costs.native;
    spent.push_back({probe.removed.empty() ? number : 0,
                     hits.cost(costs, probe.timed, probe.condition_work) + recorded, recorded});
  }
  return spent;
}

std::vector<std::string> Probes::remove(JNIEnv* jni, const std::vector<std::uint32_t>& numbers) {
  std::set<std::string, std::less<>> concerned;
  for (const ProbeCode::Number number : numbers) {
    concerned.insert(code_.remove_over_budget(jni, number, budget_.limit_percent()));
  }
  patches_.bring_up_to_date(
      jni, code_, [&](jclass, std::string_view name, bool) { return concerned.contains(name); });
  return {};
}

}  // namespace ddm
