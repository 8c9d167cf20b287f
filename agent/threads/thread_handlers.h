// THEN, THST, THID, STKL, THLK, and the events THCR, THNM, THDE, THST.
//
// The program's own threads do little work: while a server listens, a starting or ending thread
// leaves a note, which the quick lane turns into events. JVMTI has no event for renaming, so names
// are re-read a few times a second while a server listens, at intervals that keep the cost below 2
// % of one core.
//
// One mutex guards the table and the order of events. It is held across JNI calls, so notes have a
// mutex of their own, which is not.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

#include "core/feature.h"
#include "core/pulse.h"
#include "threads/thread_table.h"
#include "wire/handler_context.h"

namespace ddm {

class ThreadHandlers final : public Feature {
 public:
  ThreadHandlers(const HandlerContext& context, Pulse& pulse) : context_(context), pulse_(pulse) {}

  void add_chunks(Dispatcher& dispatcher) override;
  void session_ended(const SessionPtr& session) override;
  void thread_started(JNIEnv* jni, jthread thread) override;
  void thread_ending(JNIEnv* jni, jthread thread) override;

  // The small ids of threads by Java id, ended ones included. Attached threads.
  std::map<std::int64_t, SmallThreadId> ids(JNIEnv* jni,
                                            const std::unordered_set<std::int64_t>& java_ids);

 private:
  struct Note {
    bool started;
    std::int64_t java_id;
    ThreadTable::Entry facts;
  };

  void switch_events(const Request& request, Reply reply);
  void status(const Request& request, Reply reply);
  void java_ids(const Request& request, Reply reply);
  void stack(const Request& request, Reply reply);
  void locks(const Request& request, Reply reply);

  void send_list(const SessionPtr& session, Pulse::Clock::time_point due);
  void schedule_list(const SessionPtr& session, Pulse::Clock::time_point due);
  ThreadStatusList read_list(JNIEnv* jni);
  std::optional<ThreadStatusTable> read_table(JNIEnv* jni);
  // Calls sink(const ThreadTable::Entry&, jint jvmti_state) for every live thread.
  template <typename Sink>
  bool read_states(JNIEnv* jni, Sink sink);
  void poll_names();
  void schedule_name_poll(Pulse::Clock::duration cost);

  // Creates the table at the first call; false: not possible. Lock held.
  bool have_table(JNIEnv* jni);
  // Updates the table, sends the events, and returns the VM's threads, which are listed after the
  // notes were read, so no thread is added twice. `states`: gets their JVMTI states. Lock held.
  std::vector<jthread> update_table(JNIEnv* jni, std::vector<jint>* states = nullptr);
  void read_notes(ThreadTable::Events& events);
  void send_events(const ThreadTable::Events& events);

  void sessions_changed();
  void leave_note(Note note);
  void handle_notes();

  const HandlerContext& context_;
  Pulse& pulse_;

  std::mutex mutex_;
  std::optional<ThreadFields> fields_;  // set before listening_, then constant
  std::optional<ThreadTable> table_;

  std::atomic<bool> listening_{false};  // a session wants thread events
  std::mutex notes_mutex_;
  std::vector<Note> notes_;
};

}  // namespace ddm
