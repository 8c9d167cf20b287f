#include "adapters/dyper/documents/timing_agent.h"

#include <algorithm>

namespace ddm {

bool TimingAgent::needs_facts(const SeenThread& thread, const DyperVariables&) const {
  const auto life = lives_.find(thread.id);
  return life == lives_.end() || life->second.start_ms == 0;
}

void TimingAgent::add_snapshot(const ThreadSnapshot& snapshot, const ClassTypes&,
                               const DyperVariables&) {
  const bool first = time().samples == 1;
  for (const std::int64_t id : snapshot.excluded) lives_.try_emplace(id);
  for (const SeenThread& thread : snapshot.threads) {
    const auto [one, is_new] = lives_.try_emplace(thread.id);
    Life& life = one->second;
    if (life.start_ms == 0) {
      life.start_ms = snapshot.ms;
      if (thread.facts) {
        life.cpu_ms = thread.facts->cpu_ms;
        life.user_ms = thread.facts->user_ms;
      }
      ++seen_;
      if (is_new && !first) ++created_;
    }
    life.last_ms = snapshot.ms;
  }
  for (auto one = lives_.begin(); one != lives_.end();) {
    const auto& [id, life] = *one;
    if (life.last_ms == snapshot.ms || snapshot.excluded.contains(id)) {
      ++one;
      continue;
    }
    if (life.start_ms != 0) ++died_;
    one = lives_.erase(one);
  }
  const auto live = static_cast<double>(snapshot.threads.size());
  live_ += live;
  live_squares_ += live * live;
}

void TimingAgent::forget() {
  lives_.clear();
  seen_ = created_ = died_ = 0;
  live_ = live_squares_ = 0;
}

void TimingAgent::report(const ReportMoment& moment, const DyperVariables& variables,
                         XmlWriter& xml) {
  xml.open("TIMING").attribute("CLOCK", static_cast<double>(time().monitored_ms()));
  xml.attribute("PROCS", moment.processors).attribute("NLIVE", live_);
  xml.attribute("NLIVE2", live_squares_).attribute("NCOUNT", time().samples);
  xml.attribute("TOTAL", seen_).attribute("CREATED", created_).attribute("DIED", died_);
  xml.attribute("ACTIVE", std::ranges::count_if(lives_, [&](const auto& one) {
                  return one.second.last_ms == time().last_ms;
                }));
  for (const ThreadFacts& thread : moment.threads) {
    const auto life = lives_.find(thread.id);
    if (!thread.wanted || life == lives_.end() || life->second.start_ms == 0) continue;
    const Life& known = life->second;
    xml.open("THREAD").attribute("ID", thread.id).attribute("NAME", thread.name);
    xml.attribute("START", known.start_ms).attribute("LAST", known.last_ms);
    // Until now, as the CPU time.
    xml.attribute("CLOCK", static_cast<double>(moment.now_ms - known.start_ms));
    if (variables.cpu_time) {
      xml.attribute("CPU", std::max(thread.cpu_ms - known.cpu_ms, 0.0));
      xml.attribute("USER", std::max(thread.user_ms - known.user_ms, 0.0));
    }
    xml.close();
  }
  xml.close();
}

}  // namespace ddm
