#include "allocations/scopes/scopes.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "stack/names/jdk_classes.h"

namespace ddm {
namespace {

template <typename Test>
bool any_method(std::span<const Frame> frames, const NameTable& names, Test test) {
  return std::ranges::any_of(frames,
                             [&](const Frame& frame) { return test(names.method(frame.method)); });
}

bool stands_inside(const ScopeRoot& root, std::span<const Frame> frames, const NameTable& names) {
  if (root.rule == ScopeRoot::Rule::kBelowMethod) {
    return any_method(frames, names, [&](const MethodName& method) {
      return method.method == root.method && method.class_name == root.class_name;
    });
  }
  if (root.rule == ScopeRoot::Rule::kProgram) {
    return any_method(frames, names, [](const MethodName& method) {
      return is_program_under_test(method.class_name);
    });
  }
  return root.rule == ScopeRoot::Rule::kEverything;
}

std::uint32_t runner_frames(std::span<const Frame> frames, const NameTable& names) {
  return static_cast<std::uint32_t>(std::ranges::count_if(frames, [&](const Frame& frame) {
    return is_runner_task(names.method(frame.method).class_name);
  }));
}

bool is_in_creators_place(std::span<const Frame> made_at, const NameTable& names) {
  return any_method(made_at, names, [](const MethodName& method) {
    return replaces_creator(method.class_name, method.method);
  });
}

}  // namespace

constinit thread_local Scopes::Here Scopes::t_here;

std::uint64_t Scopes::new_version() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

ScopeNumber Scopes::begin(std::int64_t thread, ScopeRoot root, std::shared_ptr<Sites> sites,
                          std::span<const Frame> where) {
  auto scope = std::make_unique<Scope>();
  scope->result.runner_frames = runner_frames(where, names_);
  const std::lock_guard lock(mutex_);
  scope->owner = thread;
  scope->result.root = std::move(root);
  scope->result.sites = std::move(sites);
  const auto [at, is_new] = members_.try_emplace(thread);
  Member& member = at->second;
  scope->parent = member.scope;
  scope->owner_was_lent = !is_new && member.scope == 0;
  scope->owner_part = member.part;
  const ScopeNumber number = ++last_;
  scopes_[number] = std::move(scope);
  member.scope = number;
  member.part = Part::kOwner;
  ++open_;
  version_ = new_version();
  return number;
}

Scopes::Scope* Scopes::open_scope(ScopeNumber number) {
  const auto found = scopes_.find(number);
  return found != scopes_.end() && found->second->open ? found->second.get() : nullptr;
}

void Scopes::close(Scope& scope) {
  for (const auto& [thread, shard] : scope.shards) {
    if (shard == nullptr) continue;  // there was no memory for it
    const std::lock_guard lock(shard->mutex);
    try {
      scope.result.tallies.add(shard->tallies);
    } catch (const std::bad_alloc&) {
      ++scope.result.tallies.lost;
    }
    shard->tallies.clear();
    shard->scope = 0;
    idle_.push_back(shard);
  }
  scope.shards.clear();
  scope.open = false;
  --open_;
}

void Scopes::end(ScopeNumber number) {
  const std::lock_guard lock(mutex_);
  Scope* const scope = open_scope(number);
  if (scope == nullptr) return;
  close(*scope);
  Scope* const parent = open_scope(scope->parent);
  const bool counts_there = parent != nullptr &&
                            parent->result.root.rule != ScopeRoot::Rule::kNothing &&
                            parent->result.runner_frames == scope->result.runner_frames;
  const bool any_to_serve = the_only_one() != 0;
  // Moves a member of this scope to where it belongs now. True: nowhere, it is to be forgotten.
  const auto leaves = [&](Member& member) {
    if (member.scope == 0) {
      // Nobody tells when a virtual thread ends. It serves the scopes within the one it was made in,
      // as the threads of a server serve all tests of a class; otherwise those that are open now.
      if (member.made_in == number) member.made_in = 0;
      return member.is_virtual && member.made_in == 0 && !any_to_serve;
    }
    if (member.scope != number) return false;
    const bool owner = member.part == Part::kOwner;
    if (owner ? parent != nullptr : counts_there) {
      member.scope = scope->parent;
      if (owner) member.part = scope->owner_part;
      return false;
    }
    member = {0, Part::kLent, member.is_virtual, 0};
    return member.is_virtual || (owner && !scope->owner_was_lent);
  };
  for (auto at = members_.begin(); at != members_.end();) {
    at = leaves(at->second) ? members_.erase(at) : std::next(at);
  }
  if (counts_there) {
    try {
      Tallies& outer = parent->result.tallies;
      const Tallies& inner = scope->result.tallies;
      outer[scope->owner_part].add(inner[Part::kOwner]);
      outer[Part::kMade].add(inner[Part::kMade]);
      outer[Part::kLent].add(inner[Part::kLent]);
      outer.lost += inner.lost;
    } catch (const std::bad_alloc&) {
      ++parent->result.tallies.lost;
    }
  }
  version_ = new_version();
}

std::optional<Scopes::Ended> Scopes::take(ScopeNumber number) {
  const std::lock_guard lock(mutex_);
  const auto found = scopes_.find(number);
  if (found == scopes_.end() || found->second->open) return std::nullopt;
  Ended result = std::move(found->second->result);
  scopes_.erase(found);
  return result;
}

void Scopes::forget() {
  const std::lock_guard lock(mutex_);
  for (auto& [number, scope] : scopes_) {
    if (scope->open) close(*scope);
  }
  scopes_.clear();
  members_.clear();
  version_ = new_version();
}

// The innermost open scope, if all open scopes but kNothing ones have the same owner; else 0.
ScopeNumber Scopes::the_only_one() const {
  ScopeNumber innermost = 0;
  std::int64_t owner = 0;
  for (const auto& [number, scope] : scopes_) {
    if (!scope->open || scope->result.root.rule == ScopeRoot::Rule::kNothing) continue;
    if (innermost != 0 && scope->owner != owner) return 0;
    owner = scope->owner;
    innermost = std::max(innermost, number);
  }
  return innermost;
}

Scopes::Shard& Scopes::shard_of(Scope& scope, ScopeNumber number) {
  Shard*& shard = scope.shards[&t_here];
  if (shard != nullptr) return *shard;
  if (idle_.empty()) {
    shards_.push_back(std::make_unique<Shard>());
    idle_.reserve(shards_.size());  // so that close() need not allocate
    idle_.push_back(shards_.back().get());
  }
  shard = idle_.back();
  idle_.pop_back();
  const std::lock_guard lock(shard->mutex);
  shard->scope = number;
  return *shard;
}

Scopes::Here Scopes::find(std::int64_t thread) {
  Here here{thread, version_.load(), 0, Part::kLent, nullptr};
  const auto member = members_.find(thread);
  if (member == members_.end()) return here;
  here.scope = member->second.scope != 0 ? member->second.scope : the_only_one();
  here.part = member->second.part;
  Scope* const scope = open_scope(here.scope);
  if (scope == nullptr || scope->result.root.rule == ScopeRoot::Rule::kNothing) {
    here.scope = 0;
  } else {
    here.shard = &shard_of(*scope, here.scope);
  }
  return here;
}

void Scopes::count(std::int64_t thread, SiteEntry one) noexcept {
  try {
    if (t_here.thread != thread || t_here.version != version_.load(std::memory_order_acquire)) {
      const std::lock_guard lock(mutex_);
      t_here = find(thread);
    }
    if (t_here.shard == nullptr) return;
    const std::lock_guard lock(t_here.shard->mutex);
    if (t_here.shard->scope != t_here.scope) return;  // the scope has ended meanwhile
    try {
      t_here.shard->tallies[t_here.part].add({one.class_id, one.trace, 1, one.size});
    } catch (const std::bad_alloc&) {
      ++t_here.shard->tallies.lost;
    }
  } catch (const std::exception&) {  // no memory: as if the thread were in no scope
    t_here = {};
  }
}

bool Scopes::needs_stack(std::int64_t maker) const {
  const std::lock_guard lock(mutex_);
  return members_.contains(maker);
}

void Scopes::thread_made(std::int64_t maker, std::int64_t made, bool is_virtual,
                         std::span<const Frame> where) {
  const std::lock_guard lock(mutex_);
  const auto by = members_.find(maker);
  if (by == members_.end()) return;
  Member member{by->second.scope, by->second.part, is_virtual, 0};
  Scope* const scope = open_scope(member.scope);
  if (scope == nullptr || scope->result.root.rule == ScopeRoot::Rule::kNothing) {
    const ScopeNumber made_in = scope != nullptr ? member.scope : by->second.made_in;
    member = {0, Part::kLent, is_virtual, made_in};
  } else if (member.part == Part::kOwner) {
    if (is_in_creators_place(where, names_)) return;
    const bool inside = stands_inside(scope->result.root, where, names_);
    member.part = inside ? Part::kMade : Part::kLent;
  }
  members_[made] = member;
}

bool Scopes::is_virtual(NameId class_id) const {
  const std::string& name = names_.class_name(class_id);
  return name == "java.lang.VirtualThread" || name == "java.lang.ThreadBuilders$BoundVirtualThread";
}

void Scopes::thread_ended(std::int64_t thread) {
  const std::lock_guard lock(mutex_);
  members_.erase(thread);
}

}  // namespace ddm
