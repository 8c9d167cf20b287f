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

}  // namespace

void ThreadsAgent::add_snapshot(const ThreadSnapshot& snapshot, const ClassTypes& types,
                                const DyperVariables& variables) {
  const std::int64_t timed_us = timed_since_ ? time().monitored_us - timed_since_->monitored_us : 0;
  for (const SeenThread& thread : snapshot.threads) {
    const bool worth_it =
        thread.activity == ThreadActivity::kRunnable || thread.activity == ThreadActivity::kBlocked;
    const auto found = threads_.find(thread.id);
    if (found == threads_.end() && !worth_it) continue;
    Sums& sums = found != threads_.end() ? found->second : threads_[thread.id];
    if (sums.start_ms == 0) {
      sums.start_ms = snapshot.ms;
      sums.class_name = own_class_of(thread, types);
    }
    sums.name = thread.name;
    if (timed_since_ && sums.last_ms == timed_since_->last_ms) sums.timed_us += timed_us;
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
    std::erase_if(threads_, [&](const auto& one) { return one.second.last_ms != snapshot.ms; });
  }
  timed_since_ = variables.contention ? std::optional(time()) : std::nullopt;
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
    xml.open("THREAD").attribute("ID", id).attribute("THREAD", sums.name);
    xml.attribute("START", sums.start_ms);
    xml.attribute(sums.last_ms == time().last_ms ? "LAST" : "END", sums.last_ms);
    if (!alive) xml.attribute("TERMINATED", true);
    xml.attribute("TOTAL", sums.total).attribute("BLOCKS", sums.blocks);
    xml.attribute("RUNS", sums.runs).attribute("WAITS", sums.waits).attribute("IOS", sums.ios);
    xml.attribute("SLEEPS", sums.sleeps);
    if (alive) {
      xml.attribute("TOTBLKS", facts->blocked_count).attribute("TOTWAITS", facts->waited_count);
      if (facts->blocked_ms >= 0) {
        xml.attribute("WTIME", facts->waited_ms).attribute("BTIME", facts->blocked_ms);
        xml.attribute("CTIME", sums.timed_us / 1000);
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
