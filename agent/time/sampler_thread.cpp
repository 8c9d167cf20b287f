#include "time/sampler_thread.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/clocks.h"
#include "core/exit_limits.h"
#include "core/log.h"

namespace ddm {

using Clock = Sampler::Clock;

SamplerThread::Entry* SamplerThread::find(const Sampler& sampler) {
  const auto found = std::ranges::find(entries_, &sampler, &Entry::sampler);
  return found == entries_.end() ? nullptr : &*found;
}

std::string SamplerThread::start(JNIEnv* jni, Sampler& sampler) {
  {
    const std::lock_guard lock(mutex_);
    if (const Entry* entry = find(sampler)) {
      return entry->state == State::kEnding ? "the former sampler has not come to its end" : "";
    }
    if (closing_) return "the program is ending";
    entries_.push_back({&sampler});
    changed_.notify_all();
    if (std::exchange(running_, true)) return "";
  }
  std::string error = thread_.run_soon(jni, [this](JNIEnv* on_thread) { run(on_thread); });
  if (error.empty()) return "";
  const std::lock_guard lock(mutex_);
  running_ = false;
  entries_.clear();
  changed_.notify_all();
  return error;
}

bool SamplerThread::stop(Sampler& sampler) {
  std::unique_lock lock(mutex_);
  Entry* entry = find(sampler);
  if (entry == nullptr) return true;
  entry->state = State::kEnding;
  changed_.notify_all();
  return changed_.wait_for(lock, kPatience, [&] { return find(sampler) == nullptr; });
}

void SamplerThread::hasten(Sampler& sampler) {
  const std::lock_guard lock(mutex_);
  Entry* entry = find(sampler);
  if (entry == nullptr) return;
  entry->due = Clock::now();
  changed_.notify_all();
}

void SamplerThread::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    for (Entry& entry : entries_) entry.state = State::kEnding;
    changed_.notify_all();
  }
  thread_.stop(exit_limits::kRoundLimit);
}

// Beginnings and endings take precedence over rounds.
SamplerThread::Entry* SamplerThread::next_due() {
  Entry* next = nullptr;
  for (Entry& entry : entries_) {
    if (entry.state != State::kOn) return &entry;
    if (next == nullptr || entry.due < next->due) next = &entry;
  }
  return next;
}

// Lock held.
double SamplerThread::others_percent(const Entry& entry) {
  const Clock::time_point now = Clock::now();
  const double elapsed_ns = std::chrono::duration<double, std::nano>(now - second_began_).count();
  if (elapsed_ns >= 1e9) {
    for (Entry& one : entries_) {
      one.percent = static_cast<double>(std::exchange(one.spent_ns, 0)) * 100 / elapsed_ns;
    }
    second_began_ = now;
  }
  double percent = probes_percent_;
  for (const Entry& one : entries_) {
    if (&one != &entry) percent += one.percent;
  }
  return percent;
}

void SamplerThread::take_turn(JNIEnv* jni, Entry& entry, std::unique_lock<std::mutex>& lock) {
  const State state = entry.state;
  if (state == State::kBeginning) entry.state = State::kOn;
  // A hasten() during the round applies to the next one.
  const Clock::time_point before = entry.due = Clock::time_point::max();
  const Sampler::Turn turn{budget_, others_percent(entry), cpu_ns_};
  spent_ns_ = 0;
  lock.unlock();
  Clock::time_point due = Clock::now() + std::chrono::seconds(1);
  try {
    if (state == State::kBeginning) {
      due = entry.sampler->begin(jni);
    } else if (state == State::kOn) {
      due = entry.sampler->sample(jni, turn);
    } else {
      entry.sampler->end(jni);
    }
  } catch (const std::exception& failure) {
    log_debug("sampling: {}", failure.what());  // no memory: one round is lost
  }
  cpu_ns_ = cpu_of_this_thread_ns();
  cost_ns_ += spent_ns_;
  lock.lock();
  entry.spent_ns += spent_ns_;
  if (entry.due == before) entry.due = due;
  if (state != State::kEnding) return;
  entries_.remove_if([&](const Entry& one) { return &one == &entry; });
  changed_.notify_all();
}

void SamplerThread::run(JNIEnv* jni) {
  std::unique_lock lock(mutex_);
  cpu_ns_ = cpu_of_this_thread_ns();  // of a new thread, perhaps
  while (Entry* next = next_due()) {
    if (next->state == State::kOn && Clock::now() < next->due) {
      changed_.wait_until(lock, next->due);
      continue;
    }
    take_turn(jni, *next, lock);
  }
  running_ = false;
}

}  // namespace ddm
