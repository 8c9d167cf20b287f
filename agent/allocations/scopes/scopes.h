// Counts the allocations of single parts of a program, exactly and by site, on all their threads:
// tests, and sections that a program measures itself (ddm-test.jar).
//
// A scope has one owner thread. Threads that are created meanwhile belong to the scope, and so do
// threads that these create. Several threads may own scopes at once. Those of one owner nest: the
// inner one counts in the outer one, too, unless it is of another test, run while the first waits.
// With no open scope, an allocation costs one load.
//
// count() runs on the program's threads, inside a Reading. A thread adds to a shard of its own,
// whose lock no other thread takes until the scope ends. Shards are reused and never freed.
#pragma once

#include <atomic>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "allocations/scopes/scope_tally.h"
#include "allocations/store/sites.h"
#include "stack/frame.h"
#include "stack/names/name_table.h"

namespace ddm {

using ScopeNumber = std::uint64_t;  // never reused; 0: none

// Which of a scope's allocations are measured.
struct ScopeRoot {
  enum class Rule {
    kEverything,
    kBelowMethod,  // below that method, and on threads created there
    kProgram,      // stacks with a frame of neither the JDK nor a test runner
    kNothing,      // encloses other scopes: threads created in this scope serve those
  };
  Rule rule = Rule::kEverything;
  std::string class_name, method = {};
};

class Scopes {
 public:
  // How a thread has become part of a scope.
  enum class Part { kOwner, kMade, kLent, kCount };

  struct Tallies {
    ScopeTally of[static_cast<std::size_t>(Part::kCount)];
    std::int64_t lost = 0;  // allocations not counted for lack of memory
    ScopeTally& operator[](Part part) { return of[static_cast<std::size_t>(part)]; }
    const ScopeTally& operator[](Part part) const { return of[static_cast<std::size_t>(part)]; }
    void add(const Tallies& more) {
      for (std::size_t i = 0; i < std::size(of); ++i) of[i].add(more.of[i]);
      lost += more.lost;
    }
    void clear() {
      for (ScopeTally& tally : of) tally.clear();
      lost = 0;
    }
  };

  struct Ended {
    ScopeRoot root;
    std::shared_ptr<Sites> sites;  // of its stacks
    Tallies tallies;
    std::uint32_t runner_frames = 0;  // is_runner_task(): on the owner's stack as the scope began
  };

  explicit Scopes(const NameTable& names) : names_(names) {}

  bool any() const { return open_.load(std::memory_order_relaxed) != 0; }

  // Called on the thread that owns the scope; `where` is its stack.
  ScopeNumber begin(std::int64_t thread, ScopeRoot root, std::shared_ptr<Sites> sites,
                    std::span<const Frame> where);
  // Ends the scope: nothing more is counted in it. Any thread; no effect if it has ended.
  void end(ScopeNumber number);
  // Removes an ended scope. nullopt: none has this number, or forget() has dropped it.
  std::optional<Ended> take(ScopeNumber number);
  // Drops all scopes, including open ones. Call while nothing is recorded.
  void forget();

  // Counts one of the calling thread, `thread`. `one` is a copy: the caller's stays in registers.
  void count(std::int64_t thread, SiteEntry one) noexcept;

  // Whether the scope of a thread that `maker` creates depends on the maker's stack, `where`.
  bool needs_stack(std::int64_t maker) const;
  void thread_made(std::int64_t maker, std::int64_t made, bool is_virtual,
                   std::span<const Frame> where);
  // Whether threads of this class are virtual.
  bool is_virtual(NameId class_id) const;
  void thread_ended(std::int64_t thread);

 private:
  struct Shard {
    std::mutex mutex;
    ScopeNumber scope = 0;  // 0: unused
    Tallies tallies;
  };
  struct Scope {
    ScopeNumber parent = 0;
    std::int64_t owner = 0;         // thread
    bool owner_was_lent = false;    // before, and will be again
    Part owner_part = Part::kLent;  // of the owner in `parent`, likewise
    bool open = true;
    Ended result;
    std::unordered_map<const void*, Shard*> shards;  // by the address of a thread's t_here
  };
  struct Member {
    ScopeNumber scope = 0;  // 0: the_only_one()
    Part part = Part::kLent;
    bool is_virtual = false;
    // With scope 0: the kNothing scope that it was made in, while that is open.
    ScopeNumber made_in = 0;
  };
  // A thread's cache of where it counts.
  struct Here {
    std::int64_t thread = 0;
    std::uint64_t version = 0;
    ScopeNumber scope = 0;  // 0: nowhere
    Part part = Part::kLent;
    Shard* shard = nullptr;
  };
  static constinit thread_local Here t_here;
  static std::uint64_t new_version();

  // Lock held, all of them.
  Here find(std::int64_t thread);
  ScopeNumber the_only_one() const;
  Shard& shard_of(Scope& scope, ScopeNumber number);
  void close(Scope& scope);
  Scope* open_scope(ScopeNumber number);

  const NameTable& names_;
  std::atomic<std::uint32_t> open_{0};
  // Renewed when scopes begin or end. Never that of another instance: t_here serves them all.
  std::atomic<std::uint64_t> version_{new_version()};

  mutable std::mutex mutex_;
  ScopeNumber last_ = 0;
  std::unordered_map<ScopeNumber, std::unique_ptr<Scope>> scopes_;
  std::unordered_map<std::int64_t, Member> members_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<Shard*> idle_;
};

}  // namespace ddm
