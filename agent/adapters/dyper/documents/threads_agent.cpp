#include "adapters/dyper/documents/threads_agent.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ddm {
namespace {

std::string own_class_of(const SeenThread& thread, const ClassTypes& types) {
  for (auto frame = thread.frames.rbegin(); frame != thread.frames.rend(); ++frame) {
    if (!types.of(frame->class_name).system) return std::string(frame->class_name);
  }
  return thread.frames.empty() ? "" : std::string(thread.frames.back().class_name);
}

bool is_worth_following(const SeenThread& thread) {
  return thread.activity == ThreadActivity::kRunnable ||
         thread.activity == ThreadActivity::kBlocked;
}

}  // namespace

bool ThreadsAgent::needs_facts(const SeenThread& thread, const DyperVariables& variables) const {
  if (!variables.contention) return false;
  const auto found = threads_.find(thread.id);
  return found != threads_.end() ? !found->second.asked : is_worth_following(thread);
}

void ThreadsAgent::contention_timing_begins() {
  for (auto& [id, sums] : threads_) {
    sums.timed_from.reset();
    sums.asked = false;
  }
}

void ThreadsAgent::add_snapshot(const ThreadSnapshot& snapshot, const ClassTypes& types,
                                const DyperVariables& variables) {
  for (const SeenThread& thread : snapshot.threads) {
    const auto found = threads_.find(thread.id);
    if (found == threads_.end() && !is_worth_following(thread)) continue;
    Sums& sums = found != threads_.end() ? found->second : threads_[thread.id];
    if (sums.start_ms == 0) {
      sums.start_ms = snapshot.ms;
      sums.class_name = own_class_of(thread, types);
    }
    sums.name = thread.name;
    const auto& facts = thread.facts;
    if (variables.contention && facts) sums.asked = true;
    if (variables.contention && !sums.timed_from && facts && facts->blocked_ms >= 0) {
      sums.timed_from = {snapshot.ms, facts->blocked_ms, facts->waited_ms};
    }
    sums.last_ms = snapshot.ms;
    ++sums.total;
    switch (thread.activity) {
      case ThreadActivity::kRunnable:
        ++(does_io(thread, types) ? sums.ios : sums.runs);
        break;
      case ThreadActivity::kBlocked: {
        ++sums.blocks;
        if (thread.lock_owner < 0) break;
        if (sums.holders.size() >= kMostHolders && !sums.holders.contains(thread.lock_owner)) break;
        Holder& holder = sums.holders[thread.lock_owner];
        if (holder.start_ms == 0) holder.start_ms = snapshot.ms;
        holder.name = thread.lock_owner_name;
        ++holder.count;
        break;
      }
      case ThreadActivity::kSleeping:
        ++sums.sleeps;
        break;
      default:
        ++sums.waits;
    }
  }
  if (threads_.size() > kMostItems) {
    std::erase_if(threads_, [&](const auto& one) {
      return one.second.last_ms != snapshot.ms && !snapshot.excluded.contains(one.first);
    });
  }
}

void ThreadsAgent::report(const ReportMoment& moment, const DyperVariables&, XmlWriter& xml) {
  xml.open("THREADS");
  for (auto& [id, sums] : threads_) {
    if (std::exchange(sums.introduced, true)) continue;
    xml.open("THREADDATA").attribute("TID", id).attribute("CLASS", sums.class_name).close();
  }
  for (auto one = threads_.begin(); one != threads_.end();) {
    const auto& [id, sums] = *one;
    const auto facts = std::ranges::find(moment.threads, id, &ThreadFacts::id);
    const bool alive = facts != moment.threads.end();
    if (alive && !facts->wanted) {
      ++one;
      continue;
    }
    xml.open("THREAD").attribute("ID", id).attribute("THREAD", sums.name);
    xml.attribute("START", sums.start_ms);
    xml.attribute(alive || sums.last_ms == time().last_ms ? "LAST" : "END", sums.last_ms);
    if (!alive) xml.attribute("TERMINATED", true);
    xml.attribute("TOTAL", sums.total).attribute("BLOCKS", sums.blocks);
    xml.attribute("RUNS", sums.runs).attribute("WAITS", sums.waits).attribute("IOS", sums.ios);
    xml.attribute("SLEEPS", sums.sleeps);
    if (alive) {
      xml.attribute("TOTBLKS", facts->blocked_count).attribute("TOTWAITS", facts->waited_count);
      if (facts->blocked_ms >= 0 && sums.timed_from) {
        // Not less than 0: the program may have made the VM begin its sums anew.
        const auto since = [](std::int64_t now, std::int64_t then) {
          return std::max<std::int64_t>(now - then, 0);
        };
        xml.attribute("WTIME", since(facts->waited_ms, sums.timed_from->waited_ms));
        xml.attribute("BTIME", since(facts->blocked_ms, sums.timed_from->blocked_ms));
        xml.attribute("CTIME", since(moment.now_ms, sums.timed_from->ms));
      }
    }
    for (const auto& [holder_id, holder] : sums.holders) {
      xml.open("LOCKON").attribute("ID", holder_id).attribute("THREAD", holder.name);
      xml.attribute("START", holder.start_ms).attribute("COUNT", holder.count).close();
    }
    xml.close();
    one = alive ? std::next(one) : threads_.erase(one);
  }
  xml.close();
}

}  // namespace ddm
