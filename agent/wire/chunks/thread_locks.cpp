#include "wire/chunks/thread_locks.h"

#include "wire/chunks/bytes.h"

namespace ddm {
namespace {

void write_lock(ByteWriter& out, const ThreadLocks::Lock& lock) {
  out.str(lock.class_name);
  out.u4(lock.hash);
}

ThreadLocks::Lock read_lock(ByteReader& in) {
  ThreadLocks::Lock lock;
  lock.class_name = in.str();
  lock.hash = in.u4();
  return lock;
}

void write_thread(ByteWriter& out, const ThreadLocks::Thread& thread) {
  out.u8(static_cast<std::uint64_t>(thread.java_id));
  out.str(thread.name);
  out.u1(static_cast<std::uint8_t>(thread.waits));
  if (thread.waits != ThreadLocks::Waits::kNot) {
    write_lock(out, thread.lock);
    out.u8(static_cast<std::uint64_t>(thread.owner_id));
    out.str(thread.owner);
  }
  out.u4(static_cast<std::uint32_t>(thread.frames.size()));
  for (const ThreadStack::Frame& frame : thread.frames) {
    out.str(frame.class_name);
    out.str(frame.method);
    out.str(frame.file);
    out.s4(frame.line);
  }
  out.u4(static_cast<std::uint32_t>(thread.held.size()));
  for (const ThreadLocks::Held& held : thread.held) {
    write_lock(out, held.lock);
    out.s4(held.frame);
  }
}

ThreadLocks::Thread read_thread(ByteReader& in) {
  ThreadLocks::Thread thread;
  thread.java_id = static_cast<std::int64_t>(in.u8());
  thread.name = in.str();
  thread.waits = static_cast<ThreadLocks::Waits>(in.u1());
  if (thread.waits != ThreadLocks::Waits::kNot) {
    thread.lock = read_lock(in);
    thread.owner_id = static_cast<std::int64_t>(in.u8());
    thread.owner = in.str();
  }
  for (std::uint32_t left = in.u4(); left > 0 && in.ok(); --left) {
    ThreadStack::Frame frame;
    frame.class_name = in.str();
    frame.method = in.str();
    frame.file = in.str();
    frame.line = in.s4();
    thread.frames.push_back(std::move(frame));
  }
  for (std::uint32_t left = in.u4(); left > 0 && in.ok(); --left) {
    ThreadLocks::Held held;
    held.lock = read_lock(in);
    held.frame = in.s4();
    thread.held.push_back(std::move(held));
  }
  return thread;
}

}  // namespace

Bytes ThreadLocks::encode() const {
  ByteWriter out;
  out.u4(static_cast<std::uint32_t>(threads.size()));
  for (const ThreadLocks::Thread& thread : threads) write_thread(out, thread);
  return out.take();
}

std::optional<ThreadLocks> ThreadLocks::decode(ByteSpan data) {
  ByteReader in(data);
  ThreadLocks locks;
  for (std::uint32_t left = in.u4(); left > 0 && in.ok(); --left) {
    locks.threads.push_back(read_thread(in));
    if (locks.threads.back().waits > ThreadLocks::Waits::kPark) return {};
  }
  if (!in.ok()) return {};
  return locks;
}

}  // namespace ddm
