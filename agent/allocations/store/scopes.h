// What single pieces of a program allocate, exactly and by site, on all threads that have a part in them:
// tests, and what a program measures of itself (ddm-test.jar).
//
// A scope begins and ends on one thread; threads made meanwhile belong to it, and what those make. Scopes
// of one thread nest: the inner one's figures are also the outer one's. Several threads may have scopes at
// once. What it costs while no scope is open: one load an allocation.
//
// count() runs on the program's threads, in a Reading. A thread adds to a shard of its own, whose lock
// nobody else takes until the scope ends; shards are used again and never freed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "allocations/store/scope_tally.h"
#include "allocations/store/sites.h"
#include "stack/frame.h"
#include "stack/names/name_table.h"

namespace ddm {

using ScopeNumber = std::uint64_t;  // never used again; 0: none

// Which of a scope's allocations are what is to be measured.
struct ScopeRoot {
  enum class Rule {
    kEverything,
    kBelowMethod,  // what that method does, and the threads that it makes
    kProgram,      // where a frame is neither the JDK's nor of what runs tests
    kNothing,      // what stands around others: threads that are made there serve those
  };
  Rule rule = Rule::kEverything;
  std::string class_name, method = {};
};

class Scopes {
 public:
  // How a thread has come into a scope.
  enum class Part { kOwner, kMade, kLent, kCount };

  struct Tallies {
    ScopeTally of[static_cast<std::size_t>(Part::kCount)];
    std::int64_t lost = 0;  // there was no memory
    ScopeTally& operator[](Part part) { return of[static_cast<std::size_t>(part)]; }
    const ScopeTally& operator[](Part part) const { return of[static_cast<std::size_t>(part)]; }
    void add(const Tallies& more);
    void clear();
  };

  struct Ended {
    ScopeRoot root;
    std::shared_ptr<Sites> sites;  // that its stacks are of
    Tallies tallies;
  };

  explicit Scopes(const NameTable& names) : names_(names) {}

  bool any() const { return open_.load(std::memory_order_relaxed) != 0; }

  // On the thread whose scope it is.
  ScopeNumber begin(std::int64_t thread, ScopeRoot root, std::shared_ptr<Sites> sites);
  // Nothing is counted there any more. Any thread; nothing where it has ended.
  void end(ScopeNumber number);
  // Of one that has ended, which is forgotten. None: there is no such scope, or figures began anew while
  // it was open.
  std::optional<Ended> take(ScopeNumber number);
  // Figures begin anew: scopes that are open have none. While nothing is recorded.
  void forget();

  // What the calling thread, `thread`, has just allocated.
  void count(std::int64_t thread, const SiteEntry& one) noexcept;

  // Where `maker` stands tells to which scope the thread that it makes belongs.
  bool asks_where(std::int64_t maker) const;
  void thread_made(std::int64_t maker, std::int64_t made, bool is_virtual,
                   std::span<const Frame> where);
  // By its class.
  bool is_virtual(NameId class_id) const;
  void thread_ended(std::int64_t thread);

 private:
  struct Shard {
    std::mutex mutex;
    ScopeNumber scope = 0;  // 0: of none
    Tallies tallies;
  };
  struct Scope {
    ScopeNumber parent = 0;
    std::int64_t owner = 0;       // thread
    bool owner_was_lent = false;  // and will be again
    bool open = true;
    Ended result;
    std::unordered_map<const void*, Shard*> shards;  // by what is the counting thread's own
  };
  struct Member {
    ScopeNumber scope = 0;  // 0: it serves whoever is alone
    Part part = Part::kLent;
    bool is_virtual = false;
  };
  // What a thread remembers of where it counts.
  struct Here {
    std::int64_t thread = 0;
    std::uint64_t version = 0;
    ScopeNumber scope = 0;  // 0: nowhere
    Part part = Part::kLent;
    Shard* shard = nullptr;
  };
  static constinit thread_local Here t_here;

  // Lock held, all of them.
  Here find(std::int64_t thread);
  ScopeNumber the_only_one() const;
  Shard& shard_of(Scope& scope, ScopeNumber number);
  void close(Scope& scope);
  Scope* open_scope(ScopeNumber number);

  const NameTable& names_;
  std::atomic<std::uint32_t> open_{0};
  std::atomic<std::uint64_t> version_{1};  // of who belongs where

  mutable std::mutex mutex_;
  ScopeNumber last_ = 0;
  std::unordered_map<ScopeNumber, std::unique_ptr<Scope>> scopes_;
  std::unordered_map<std::int64_t, Member> members_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<Shard*> idle_;
};

}  // namespace ddm
