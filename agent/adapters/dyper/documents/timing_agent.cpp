#include "adapters/dyper/documents/timing_agent.h"

namespace ddm {

void TimingAgent::add_snapshot(const ThreadSnapshot& snapshot, const ClassTypes&,
                               const DyperVariables&) {
  const bool first = time().samples == 1;
  for (const SeenThread& thread : snapshot.threads) {
    Life& life = lives_[thread.id];
    if (life.start_ms == 0) {
      life.start_ms = snapshot.ms;
      ++seen_;
      if (!first) ++created_;
    }
    life.last_ms = snapshot.ms;
  }
  died_ += static_cast<std::int64_t>(
      std::erase_if(lives_, [&](const auto& one) { return one.second.last_ms != snapshot.ms; }));
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
  xml.attribute("ACTIVE", lives_.size());
  for (const ThreadFacts& thread : moment.threads) {
    const auto life = lives_.find(thread.id);
    if (life == lives_.end()) continue;
    const Life& known = life->second;
    xml.open("THREAD").attribute("ID", thread.id).attribute("NAME", thread.name);
    xml.attribute("START", known.start_ms).attribute("LAST", known.last_ms);
    xml.attribute("CLOCK", static_cast<double>(known.last_ms - known.start_ms));
    if (variables.cpu_time) xml.attribute("CPU", thread.cpu_ms).attribute("USER", thread.user_ms);
    xml.close();
  }
  xml.close();
}

}  // namespace ddm
