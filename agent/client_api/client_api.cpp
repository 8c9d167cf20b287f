#include "client_api/client_api.h"

#include <algorithm>

#include "client_api/client_natives.h"
#include "client_api/own_session.h"
#include "client_api/program_class.h"
#include "jvm/jvmti_error.h"
#include "jvm/jvmti_memory.h"
#include "log.h"

namespace ddm {
namespace {

constexpr std::string_view kLinkSignature = "Lorg/apache/harmony/dalvik/ddmc/AgentLink;";

// As DdmServer.broadcast() has them.
constexpr int kConnected = 1;
constexpr int kDisconnected = 2;

// Switching tracking on rewrites every class of the program.
constexpr std::chrono::seconds kRequestTime{120};
constexpr std::chrono::milliseconds kExitPatience{100};

void throw_java(JNIEnv* jni, const char* class_name, const char* message) {
  const LocalRef<jclass> type(jni, jni->FindClass(class_name));
  if (type) jni->ThrowNew(type.get(), message);
}

}  // namespace

ClientApi::ClientApi(jvmtiEnv* jvmti, Service& service, SessionObserver& observer)
    : jvmti_(jvmti),
      service_(service),
      observer_(observer),
      thread_(jvmti, "ddmagent-client"),
      own_session_(std::make_shared<OwnSession>()) {}

void ClientApi::open(JNIEnv* jni, bool late) {
  set_client_api(this);
  if (late) adopt_loaded_classes(jni);
}

void ClientApi::adopt_loaded_classes(JNIEnv* jni) {
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti_);
  const jvmtiError error = jvmti_->GetLoadedClasses(&count, classes.out());
  if (error != JVMTI_ERROR_NONE) {
    log_warn("looking for ddm-client.jar: GetLoadedClasses: {}", jvmti_error_name(error));
    return;
  }
  for (jint i = 0; i < count; ++i) {
    const LocalRef<jclass> klass(jni, classes[i]);
    JvmtiPtr<char> signature(jvmti_);
    jint status = 0;
    if (jvmti_->GetClassSignature(klass.get(), signature.out(), nullptr) != JVMTI_ERROR_NONE ||
        text_of(signature) != kLinkSignature ||
        jvmti_->GetClassStatus(klass.get(), &status) != JVMTI_ERROR_NONE ||
        (status & JVMTI_CLASS_STATUS_INITIALIZED) == 0) {
      continue;  // one that is not initialized has not looked yet
    }
    const auto program = ProgramClass::of(jni, klass.get());
    // By name they are found only once the attaching is over.
    if (program && register_client_natives(jni, klass.get())) program->arrived(jni);
  }
}

void ClientApi::connected(const SessionPtr& session) {
  observer_.connected(session);
  {
    const std::lock_guard lock(mutex_);
    if (++connections_ != 1) return;
  }
  tell(kConnected);
}

void ClientApi::disconnected(const SessionPtr& session) {
  observer_.disconnected(session);
  {
    const std::lock_guard lock(mutex_);
    if (--connections_ != 0) return;
  }
  tell(kDisconnected);
}

void ClientApi::tell(int event) {
  {
    const std::lock_guard lock(mutex_);
    if (!started_) return;  // no handler yet: nobody to tell, and nothing to be kept for later
  }
  thread_.post([this, event](JNIEnv* jni) {
    std::vector<std::shared_ptr<ProgramClass>> told;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [type, program] : programs_) told.push_back(program);
    }
    // One class has several types.
    std::sort(told.begin(), told.end());
    told.erase(std::unique(told.begin(), told.end()), told.end());
    for (const auto& program : told) program->broadcast(jni, event);
  });
}

void ClientApi::close() {
  bool started = false;
  {
    const std::lock_guard lock(mutex_);
    started = started_;
  }
  if (started) thread_.stop(kExitPatience);
}

bool ClientApi::start_thread(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (started_) return true;
  const std::string error = thread_.start(jni);
  if (!error.empty()) log_error("starting the thread for the program's handlers: {}", error);
  started_ = error.empty();
  return started_;
}

bool ClientApi::add(JNIEnv* jni, jclass link, ChunkType type) {
  if (!start_thread(jni)) return false;
  std::shared_ptr<ProgramClass> program;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [known_type, known] : programs_) {
      if (known->is(jni, link)) program = known;
    }
  }
  if (!program) program = ProgramClass::of(jni, link);
  if (!program) return false;
  const auto handler = [this, program](const Request& request, Reply reply) {
    handle(request, std::move(reply), program);
  };
  if (!service_.dispatcher().add(type, Lane::kInline, handler)) {
    log_warn("the program's handler for {} is left out: there is one already", chunk_name(type));
    return true;
  }
  const std::lock_guard lock(mutex_);
  programs_[type] = program;
  return false;
}

void ClientApi::remove(ChunkType type) {
  {
    const std::lock_guard lock(mutex_);
    if (programs_.erase(type) == 0) return;
  }
  service_.dispatcher().remove(type);
}

void ClientApi::handle(const Request& request, Reply reply,
                       const std::shared_ptr<ProgramClass>& program) {
  // A task has to be copyable; a Reply that is dropped with its task says FAIL.
  auto answer = std::make_shared<Reply>(std::move(reply));
  thread_.post([program, type = request.type, data = request.data, answer](JNIEnv* jni) {
    program->dispatch(jni, type, data, std::move(*answer));
  });
}

std::vector<SessionPtr> ClientApi::sessions() const {
  const Server* server = service_.server();
  return server != nullptr ? server->sessions() : std::vector<SessionPtr>();
}

void ClientApi::send(JNIEnv* jni, ChunkType type, jbyteArray data, jint offset, jint length) {
  const jsize size = jni->GetArrayLength(data);
  if (offset < 0 || length < 0 || offset > size - length) {
    throw_java(jni, "java/lang/IndexOutOfBoundsException",
               fmt::format("offset {}, length {} of {} bytes", offset, length, size).c_str());
    return;
  }
  Server* server = service_.server();
  if (server == nullptr) return;
  Chunk chunk{type, Bytes(static_cast<std::size_t>(length))};
  jni->GetByteArrayRegion(data, offset, length, reinterpret_cast<jbyte*>(chunk.data.data()));
  server->broadcast(chunk);
}

jbyteArray ClientApi::request(JNIEnv* jni, ChunkType type, jbyteArray data, bool for_all) {
  if (!service_.start_lanes(jni)) return nullptr;
  const Bytes content = from_java(jni, data);
  ByteWriter payload;
  payload.u4(type);
  payload.u4(static_cast<std::uint32_t>(content.size()));
  payload.bytes(content);
  const Bytes packet = payload.take();
  Answers answers;
  for (const SessionPtr& session : for_all ? sessions() : std::vector{own_session_}) {
    service_.dispatcher().dispatch(session, packet, service_, answers.expect());
  }
  if (!answers.wait(kRequestTime)) {
    throw_java(jni, "java/lang/IllegalStateException", "libddmagent does not answer");
    return nullptr;
  }
  const Chunk answer = answers.take();
  return for_all || answer.type == 0 ? nullptr : to_java(jni, answer);
}

}  // namespace ddm
