#include "program/app_handlers.h"

#include <sys/utsname.h>

#include "core/log.h"
#include "program/program_exit.h"
#include "vm/jvmti_error.h"
#include "vm/vm_arguments.h"
#include "wire/chunks/app_state.h"

namespace ddm {
namespace {

constexpr ChunkType kFeatures = chunk_type("FEAT");

std::string abi() {
  utsname machine{};
  const char* name = uname(&machine) == 0 ? machine.machine : "unknown";
  return std::to_string(8 * sizeof(void*)) + "-bit (" + name + ")";
}

// The flag that Android lists first, then the VM's flags. System properties are the program's own.
std::string jvm_flags() {
  std::string flags;
  bool check_jni = false;
  for (const std::string& argument : vm_arguments()) {
    if (argument.starts_with("-D")) continue;
    check_jni |= argument == "-Xcheck:jni";
    flags += " " + argument;
  }
  return (check_jni ? "CheckJNI=true" : "CheckJNI=false") + flags;
}

}  // namespace

AppHandlers::AppHandlers(const HandlerContext& context, const VmFacts& facts,
                         const ServiceOptions& options)
    : context_(context), options_(options) {
  hello_.pid = static_cast<std::uint32_t>(facts.pid);
  hello_.vm = system_property(context.jvmti, "java.vm.name") + " v" +
              system_property(context.jvmti, "java.vm.version");
  hello_.app = facts.app;
  hello_.package = facts.app;
  hello_.abi = abi();
  hello_.stage = kStageRunning;
}

void AppHandlers::add_chunks(Dispatcher& dispatcher) {
  dispatcher.add(HelloRequest::kType, Lane::kInline, this, &AppHandlers::hello);
  dispatcher.offer({"support_boot_stages"});
  dispatcher.add(kFeatures, Lane::kInline, [&dispatcher](const Request&, Reply reply) {
    reply.send(to_chunk(Features{dispatcher.offered()}));
  });
  dispatcher.add(SaidAtLoad::kType, Lane::kInline, [this](const Request&, Reply reply) {
    const std::lock_guard lock(mutex_);
    reply.send(said_at_load_);
  });
  dispatcher.add(kDebuggerGone, Lane::kInline, [this](const Request& request, Reply reply) {
    context_.service.debugger_gone(request.session);
    reply.send_empty();
  });
  dispatcher.add(ExitRequest::kType, Lane::kInline, this, &AppHandlers::exit);
}

// Whatever version the data has, if any: Android Studio's proxy swallows all other packets until a
// HELO comes back.
void AppHandlers::hello(const Request& request, Reply reply) {
  const std::string flags = jvm_flags();
  const std::lock_guard lock(mutex_);
  if (std::exchange(waiting_, false)) request.session->send_event(to_chunk(Waiting{}));
  HelloReply answer = hello_;
  answer.jvm_flags = flags;
  reply.send(answer);
  hello_said_ = true;
  changed_.notify_all();
}

void AppHandlers::exit(const Request& request, Reply reply) {
  const auto wanted = decode<ExitRequest>(request.data);
  if (!wanted) return reply.fail_bad_data("u4 status");
  log_info("a DDM server ends the program with status {}", wanted->status);
  reply.send_empty();  // queued before the exit begins
  exit_program(context_.vm, wanted->status);
}

// At a late attach main is already running.
void AppHandlers::vm_live(JNIEnv*, bool late) {
  if (!options_.suspend || late) return;
  const std::lock_guard lock(mutex_);
  waiting_ = true;
}

void AppHandlers::before_main() {
  if (!options_.suspend) return;
  if (context_.service.server() == nullptr) {
    log_error("suspend=y has no effect without a port");
    return;
  }
  JNIEnv* const jni = context_.jni();
  jthread self = nullptr;
  context_.jvmti->GetCurrentThread(&self);
  const jobject main = jni->NewGlobalRef(self);
  std::unique_lock lock(mutex_);
  main_ = main;
  changed_.wait(lock, [this] { return hello_said_ || closed_; });
  main_ = nullptr;
  if (closed_) return;  // without JNI: see halting()
  lock.unlock();
  jni->DeleteGlobalRef(main);
}

// From JDK 26 on VMDeath comes once the callback has returned, and main must not run until then.
// SuspendThread by main itself would block inside the callback; by another thread it takes effect
// when main returns to the VM, be it by a call of JNI: there must not be any more. With the lock,
// main does not return before it is suspended.
void AppHandlers::halting() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
  if (main_ == nullptr || hello_said_) return;
  jvmtiCapabilities wanted{};
  wanted.can_suspend = 1;
  jvmtiError error = context_.jvmti->AddCapabilities(&wanted);
  if (error == JVMTI_ERROR_NONE) error = context_.jvmti->SuspendThread(main_);
  if (error != JVMTI_ERROR_NONE) log_debug("main runs at the end: {}", jvmti_error_name(error));
}

void AppHandlers::apply_options(JNIEnv*, const GivenOptions& given) {
  if (!given.has("name")) return;
  rename(options_.name);
  context_.service.rename_app(options_.name);
}

void AppHandlers::rename(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    if (hello_.app == name) return;
    hello_.app = name;
    hello_.package = name;
  }
  const Chunk event = to_chunk(AppName{name, 0, name});
  for (const SessionPtr& session : context_.sessions()) session->send_event(event);
}

void AppHandlers::loaded(const std::vector<std::string>& logged) {
  const std::lock_guard lock(mutex_);
  said_at_load_.lines = fmt::format("{}", fmt::join(logged, "\n"));
}

void AppHandlers::end() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace ddm
