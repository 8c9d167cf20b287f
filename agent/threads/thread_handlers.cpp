#include "threads/thread_handlers.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "core/proc_stat.h"
#include "threads/lock_dump.h"
#include "threads/thread_stacks.h"
#include "threads/thread_states.h"
#include "vm/jvmti_memory.h"
#include "vm/thread_list.h"
#include "wire/chunks/switch_request.h"

namespace ddm {
namespace {

using std::chrono::milliseconds;

constexpr jint kRefsForAnAnswer = 64;

// Periodic THST: the shortest interval, and the pause as a multiple of the time spent.
constexpr milliseconds kShortestInterval{10};
constexpr int kRestPerWork = 4;
// Delay of a periodic THST after a THCR.
constexpr milliseconds kSoon{100};

constexpr std::uint64_t kNamesTimer = 0;  // the other keys are session ids, from 1
constexpr milliseconds kNamesInterval{200};
constexpr int kNamesRestPerWork = 50;

// Beyond this number of notes the VM's list must suffice.
constexpr std::size_t kMostNotes = 100'000;

constexpr char kNoTable[] = "java.lang.Thread of this VM is not as expected";

}  // namespace

void ThreadHandlers::add_chunks(Dispatcher& dispatcher) {
  dispatcher.offer({kJavaThreadIdsFeature, kThreadLocksFeature});
  dispatcher.add(ThreadEventsRequest::kType, Lane::kQuick, this, &ThreadHandlers::switch_events);
  dispatcher.add(ThreadStatusRequest::kType, Lane::kQuick, this, &ThreadHandlers::status);
  dispatcher.add(JavaThreadIds::kType, Lane::kQuick, this, &ThreadHandlers::java_ids);
  dispatcher.add(StackRequest::kType, Lane::kQuick, this, &ThreadHandlers::stack);
  // A dump allocates many Java objects, too slow for the quick lane.
  dispatcher.add(ThreadLocks::kType, Lane::kSlow, this, &ThreadHandlers::locks);
}

bool ThreadHandlers::have_table(JNIEnv* jni) {
  if (table_) return true;
  fields_ = ThreadFields::find(context_.jvmti, jni);
  if (fields_) table_.emplace(*fields_);
  return table_.has_value();
}

// The table and its events

void ThreadHandlers::read_notes(ThreadTable::Events& events) {
  std::vector<Note> notes;
  {
    const std::lock_guard lock(notes_mutex_);
    notes.swap(notes_);
  }
  for (Note& note : notes) {
    if (note.started) {
      table_->started(note.java_id, std::move(note.facts), events);
    } else {
      table_->ended(note.java_id, events);
    }
  }
}

std::vector<jthread> ThreadHandlers::update_table(JNIEnv* jni, std::vector<jint>* states) {
  ThreadTable::Events events;
  read_notes(events);
  const std::vector<jthread> listed = states != nullptr
                                          ? threads_with_states(context_.jvmti, jni, *states)
                                          : all_threads(context_.jvmti, jni);
  // An empty list means that the VM refused, since the calling thread is alive.
  if (!listed.empty()) table_->update(jni, listed, events);
  send_events(events);
  return listed;
}

void ThreadHandlers::send_events(const ThreadTable::Events& events) {
  if (events.empty()) return;
  const bool creations = std::ranges::count(events, ThreadCreated::kType, &Chunk::type) > 0;
  for (const SessionPtr& session : context_.sessions()) {
    if (!session->modes.thread_events) continue;
    for (const Chunk& event : events) session->send_event(event);
    if (creations) pulse_.hasten(session->id(), Pulse::Clock::now() + kSoon);
  }
}

void ThreadHandlers::leave_note(Note note) {
  {
    const std::lock_guard lock(notes_mutex_);
    if (notes_.size() >= kMostNotes) return;
    notes_.push_back(std::move(note));
    if (notes_.size() > 1) return;  // a task is already scheduled
  }
  context_.service.quick().post([this](JNIEnv*) { handle_notes(); });
}

void ThreadHandlers::handle_notes() {
  const std::lock_guard lock(mutex_);
  ThreadTable::Events events;
  read_notes(events);
  send_events(events);
}

void ThreadHandlers::thread_started(JNIEnv* jni, jthread thread) {
  if (!listening_) return;
  leave_note({true,
              fields_->id(jni, thread),
              {0, fields_->name(jni, thread), fields_->daemon(jni, thread),
               static_cast<std::uint32_t>(syscall(SYS_gettid))}});
}

void ThreadHandlers::thread_ending(JNIEnv* jni, jthread thread) {
  if (listening_) leave_note({false, fields_->id(jni, thread), {}});
}

std::map<std::int64_t, SmallThreadId> ThreadHandlers::ids(
    JNIEnv* jni, const std::unordered_set<std::int64_t>& java_ids) {
  std::map<std::int64_t, SmallThreadId> result;
  const std::lock_guard lock(mutex_);
  const LocalFrame frame(jni, kRefsForAnAnswer);
  if (!frame.good() || !have_table(jni)) return result;
  update_table(jni);
  for (const std::int64_t java_id : java_ids) result[java_id] = table_->small_id_of(java_id);
  return result;
}

// THEN

void ThreadHandlers::switch_events(const Request& request, Reply reply) {
  const auto wanted = decode<ThreadEventsRequest>(request.data);
  if (!wanted) return reply.fail_bad_data("u1 on");
  SessionModes& modes = request.session->modes;
  if (!wanted->on) {
    modes.thread_events = false;
    sessions_changed();
    return reply.send_empty();
  }
  JNIEnv* jni = context_.jni();
  std::unique_lock lock(mutex_);
  const LocalFrame frame(jni, kRefsForAnAnswer);
  if (!frame.good() || !have_table(jni) || !pulse_.start()) {
    lock.unlock();
    return reply.fail(FailCode::kRefused, kNoTable);
  }
  // From here on every start and end leaves a note; earlier ones are in the VM's list.
  const bool first = !listening_.exchange(true);
  const auto begin = Pulse::Clock::now();
  update_table(jni);
  for (const auto& [java_id, thread] : table_->live()) {
    request.session->send_event(to_chunk(ThreadCreated{thread.id, thread.name}));
  }
  modes.thread_events = true;
  pulse_.hasten(request.session->id(), Pulse::Clock::now() + kSoon);
  lock.unlock();
  if (first) schedule_name_poll(Pulse::Clock::now() - begin);
  if (!request.session->is_open()) sessions_changed();
  reply.send_empty();
}

// The session's modes ended with it.
void ThreadHandlers::session_ended(const SessionPtr&) {
  context_.service.quick().post([this](JNIEnv*) { sessions_changed(); });
}

void ThreadHandlers::sessions_changed() {
  const auto sessions = context_.sessions();
  const bool wanted = std::ranges::any_of(
      sessions, [](const SessionPtr& session) { return session->modes.thread_events.load(); });
  if (wanted) return;
  listening_ = false;
  pulse_.cancel(kNamesTimer);
}

void ThreadHandlers::schedule_name_poll(Pulse::Clock::duration cost) {
  const auto rest = std::max<Pulse::Clock::duration>(kNamesInterval, kNamesRestPerWork * cost);
  pulse_.at(kNamesTimer, Pulse::Clock::now() + rest,
            [this] { context_.service.quick().post([this](JNIEnv*) { poll_names(); }); });
}

void ThreadHandlers::poll_names() {
  if (!listening_) return;
  JNIEnv* jni = context_.jni();
  const auto begin = Pulse::Clock::now();
  {
    const std::lock_guard lock(mutex_);
    const LocalFrame frame(jni, kRefsForAnAnswer);
    if (frame.good()) update_table(jni);
  }
  schedule_name_poll(Pulse::Clock::now() - begin);
}

// THST

void ThreadHandlers::status(const Request& request, Reply reply) {
  const auto wanted = decode<ThreadStatusRequest>(request.data);
  if (!wanted) return reply.fail_bad_data("nothing, or u4 interval in ms");
  if (!wanted->interval_millis) {
    const auto table = read_table(context_.jni());
    if (!table) return reply.fail(FailCode::kRefused, kNoTable);
    return reply.send(*table);
  }
  const SessionPtr& session = request.session;
  session->modes.thread_status_millis = *wanted->interval_millis;
  pulse_.cancel(session->id());
  if (*wanted->interval_millis == 0) return reply.send_empty();
  if (!pulse_.start()) return reply.fail(FailCode::kInternal, "there is no thread for events");
  reply.send_empty();
  schedule_list(session, Pulse::Clock::now());
}

void ThreadHandlers::schedule_list(const SessionPtr& session, Pulse::Clock::time_point due) {
  pulse_.at(session->id(), due, [this, weak = std::weak_ptr<Session>(session), due] {
    context_.service.quick().post([this, weak, due](JNIEnv*) {
      if (const SessionPtr alive = weak.lock()) send_list(alive, due);
    });
  });
}

void ThreadHandlers::send_list(const SessionPtr& session, Pulse::Clock::time_point due) {
  const milliseconds interval(session->modes.thread_status_millis.load());
  if (interval == milliseconds::zero() || !session->is_open()) return;
  const auto begin = Pulse::Clock::now();
  // A server whose queue is full does not need another list.
  if (session->has_room()) {
    session->send_event(to_chunk(read_list(context_.jni())));
  }
  const auto now = Pulse::Clock::now();
  const auto next = due + std::max(interval, kShortestInterval);
  schedule_list(session, std::max(next, now + kRestPerWork * (now - begin)));
}

template <typename Sink>
bool ThreadHandlers::read_states(JNIEnv* jni, Sink sink) {
  const std::lock_guard lock(mutex_);
  const LocalFrame frame(jni, kRefsForAnAnswer);
  if (!frame.good() || !have_table(jni)) return false;
  std::vector<jint> states;
  const std::vector<jthread> threads = update_table(jni, &states);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const ThreadTable::Entry* entry = table_->find(fields_->id(jni, threads[i]));
    if (entry != nullptr) sink(*entry, states[i]);
  }
  return true;
}

ThreadStatusList ThreadHandlers::read_list(JNIEnv* jni) {
  ThreadStatusList list;
  read_states(jni, [&](const ThreadTable::Entry& entry, jint state) {
    list.entries.push_back(thread_status(entry.id, state));
  });
  return list;
}

std::optional<ThreadStatusTable> ThreadHandlers::read_table(JNIEnv* jni) {
  ThreadStatusTable table;
  const bool good = read_states(jni, [&](const ThreadTable::Entry& entry, jint state) {
    table.entries.push_back({entry.id, thread_state(state), entry.os_id, 0, 0, entry.daemon});
  });
  if (!good) return std::nullopt;
  for (ThreadStatusTable::Entry& entry : table.entries) {
    const auto stat = read_proc_stat("/proc/self/task/" + std::to_string(entry.os_id) + "/stat");
    if (!stat) continue;  // it has ended
    entry.user_ticks = static_cast<std::uint32_t>(stat->user_ticks);
    entry.system_ticks = static_cast<std::uint32_t>(stat->cpu_ticks - stat->user_ticks);
  }
  return table;
}

// THID

void ThreadHandlers::java_ids(const Request&, Reply reply) {
  JNIEnv* jni = context_.jni();
  JavaThreadIds ids;
  {
    const std::lock_guard lock(mutex_);
    const LocalFrame frame(jni, kRefsForAnAnswer);
    if (!frame.good() || !have_table(jni)) return reply.fail(FailCode::kRefused, kNoTable);
    update_table(jni);
    for (const auto& [java_id, thread] : table_->live())
      ids.entries.push_back({thread.id, java_id});
  }
  reply.send(ids);
}

// THLK

void ThreadHandlers::locks(const Request&, Reply reply) {
  auto locks = dump_locks(context_.jvmti, context_.jni());
  if (!locks) return reply.fail(FailCode::kRefused, locks.message());
  reply.send(*locks);
}

// STKL

void ThreadHandlers::stack(const Request& request, Reply reply) {
  const auto wanted = decode<StackRequest>(request.data);
  if (!wanted) return reply.fail_bad_data("u4 thread");
  JNIEnv* jni = context_.jni();
  const LocalFrame frame(jni, kRefsForAnAnswer);
  jthread thread = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!frame.good() || !have_table(jni)) return reply.fail(FailCode::kRefused, kNoTable);
    const auto threads = update_table(jni);
    for (const jthread one : threads) {
      const ThreadTable::Entry* entry = table_->find(fields_->id(jni, one));
      if (entry != nullptr && entry->id == wanted->id) thread = one;
    }
  }
  if (thread == nullptr) {
    return reply.fail(FailCode::kRefused, "no thread " + std::to_string(wanted->id));
  }
  auto frames = read_stack(context_.jvmti, jni, thread);
  if (!frames) {
    return reply.fail(FailCode::kRefused, "the stack of thread " + std::to_string(wanted->id) +
                                              " cannot be had: " + frames.message());
  }
  reply.send(ThreadStack{wanted->id, std::move(*frames)});
}

}  // namespace ddm
