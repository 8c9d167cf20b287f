#include "adapters/client_api/client_api.h"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "adapters/client_api/own_session.h"
#include "adapters/client_api/program_class.h"
#include "core/exit_limits.h"
#include "core/log.h"
#include "vm/java_call.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

std::atomic<ClientApi*> g_api{nullptr};

template <typename Value, typename Work>
Value with_api(Value otherwise, Work work) {
  return guarded_call("in a call of ddm-client.jar", g_api.load(), otherwise, work);
}

constexpr std::string_view kLinkSignature = "Lorg/apache/harmony/dalvik/ddmc/AgentLink;";

// The event numbers of DdmServer.broadcast().
constexpr int kConnected = 1;
constexpr int kDisconnected = 2;

// Switching tracking on rewrites every class of the program.
constexpr std::chrono::seconds kRequestTime{120};

}  // namespace

ClientApi::ClientApi(jvmtiEnv* jvmti, Service& service)
    : jvmti_(jvmti),
      service_(service),
      thread_(jvmti, "ddmagent-client", AgentThread::Runs::kProgram),
      own_session_(std::make_shared<OwnSession>()) {}

void ClientApi::opened(JNIEnv* jni, bool late) {
  g_api = this;
  if (late) adopt_loaded_classes(jni);
}

void ClientApi::session_begun(const SessionPtr&) {
  const std::lock_guard lock(mutex_);
  if (++connections_ == 1) notify(kConnected);
}

void ClientApi::session_ended(const SessionPtr&) {
  const std::lock_guard lock(mutex_);
  if (--connections_ == 0) notify(kDisconnected);
}

void ClientApi::notify(int event) {
  if (programs_.empty()) return;  // no recipient, and no thread to notify it
  thread_.post([this, event](JNIEnv* jni) {
    for (const auto& program : programs()) program->broadcast(jni, event);
  });
}

void ClientApi::end() { thread_.stop(exit_limits::kHandlerLimit); }

std::set<std::shared_ptr<ProgramClass>> ClientApi::programs() {
  std::set<std::shared_ptr<ProgramClass>> result;
  const std::lock_guard lock(mutex_);
  for (const auto& [type, program] : programs_) result.insert(program);
  return result;
}

std::shared_ptr<ProgramClass> ClientApi::owner(ChunkType type) {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(type);
  return found == programs_.end() ? nullptr : found->second;
}

bool ClientApi::add(JNIEnv* jni, jclass link, ChunkType type) {
  const std::string error = thread_.start(jni);
  if (!error.empty()) {
    log_error("starting the thread for the program's handlers: {}", error);
    return false;
  }
  const auto known = programs();
  const auto same =
      std::ranges::find_if(known, [&](const auto& one) { return one->is(jni, link); });
  const auto program = same != known.end() ? *same : ProgramClass::of(jni, link);
  if (!program) return false;
  if (const auto before = owner(type); before && before->unloaded(jni)) remove(type, before);
  const auto handler = [this, program](const Request& request, Reply reply) {
    // A task must be copyable; a Reply that is destroyed with its task answers FAIL.
    auto answer = std::make_shared<Reply>(std::move(reply));
    thread_.post([program, type = request.type, data = request.data, answer](JNIEnv* on_thread) {
      program->dispatch(on_thread, type, data, std::move(*answer));
    });
  };
  {
    const std::lock_guard lock(mutex_);
    if (service_.dispatcher().add(type, Lane::kInline, handler)) {
      programs_[type] = program;
      // Servers that connected before the handler are new to it; DdmServer notifies no handler
      // twice.
      if (connections_ > 0) notify(kConnected);
      return false;
    }
  }
  const auto other = owner(type);
  // The program registered a type while a late attach did so for all types of the class.
  if (other && other->is(jni, link)) return false;
  log_warn("the program's handler for {} is left out: {}", chunk_name(type),
           other ? "the program has another one, of another class loader"
                 : "the agent itself answers such chunks");
  return true;
}

void ClientApi::remove(ChunkType type) {
  if (const auto program = owner(type)) remove(type, program);
}

// The caller's reference is not the last one under the lock: the destructor uses JNI.
void ClientApi::remove(ChunkType type, const std::shared_ptr<ProgramClass>& program) {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(type);
  if (found == programs_.end() || found->second != program) return;
  programs_.erase(found);
  service_.dispatcher().remove(type);
}

void ClientApi::send(JNIEnv* jni, ChunkType type, jbyteArray data, jint offset, jint length) {
  const jsize size = jni->GetArrayLength(data);
  if (offset < 0 || length < 0 || offset > size - length) {  // an older jar does not look
    log_warn("a chunk {} of the program's is not sent: offset {}, length {} of {} bytes",
             chunk_name(type), offset, length, size);
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
  std::vector<SessionPtr> sessions;
  if (!for_all) {
    sessions.push_back(own_session_);
  } else if (const Server* server = service_.server()) {
    sessions = server->sessions();
  }
  Answers answers;
  for (const SessionPtr& session : sessions) {
    service_.dispatcher().dispatch(session, packet, service_, answers.expect());
  }
  if (!answers.wait(kRequestTime)) {
    const LocalRef<jclass> error(jni, jni->FindClass("java/lang/IllegalStateException"));
    if (error) jni->ThrowNew(error.get(), "libddmagent does not answer");
    return nullptr;
  }
  const Chunk answer = answers.take();
  return for_all || answer.type == 0 ? nullptr : to_java(jni, answer);
}

}  // namespace ddm

extern "C" {

JNIEXPORT jboolean JNICALL Java_org_apache_harmony_dalvik_ddmc_AgentLink_nativeRegister(JNIEnv* jni,
                                                                                        jclass link,
                                                                                        jint type) {
  return ddm::with_api<jboolean>(JNI_FALSE, [&](ddm::ClientApi& api) -> jboolean {
    return api.add(jni, link, static_cast<ddm::ChunkType>(type)) ? JNI_TRUE : JNI_FALSE;
  });
}

JNIEXPORT void JNICALL Java_org_apache_harmony_dalvik_ddmc_AgentLink_nativeUnregister(JNIEnv*,
                                                                                      jclass,
                                                                                      jint type) {
  ddm::with_api(0, [&](ddm::ClientApi& api) {
    api.remove(static_cast<ddm::ChunkType>(type));
    return 0;
  });
}

JNIEXPORT void JNICALL Java_org_apache_harmony_dalvik_ddmc_AgentLink_nativeSend(
    JNIEnv* jni, jclass, jint type, jbyteArray data, jint offset, jint length) {
  ddm::with_api(0, [&](ddm::ClientApi& api) {
    api.send(jni, static_cast<ddm::ChunkType>(type), data, offset, length);
    return 0;
  });
}

JNIEXPORT jbyteArray JNICALL Java_org_apache_harmony_dalvik_ddmc_AgentLink_nativeRequest(
    JNIEnv* jni, jclass, jint type, jbyteArray data, jboolean for_all) {
  return ddm::with_api<jbyteArray>(nullptr, [&](ddm::ClientApi& api) {
    return api.request(jni, static_cast<ddm::ChunkType>(type), data, for_all == JNI_TRUE);
  });
}
}

namespace ddm {
namespace {

template <typename Function>
JNINativeMethod native(const char* name, const char* signature, Function* function) {
  // JNINativeMethod has no const members.
  return {const_cast<char*>(name), const_cast<char*>(signature), reinterpret_cast<void*>(function)};
}

// Binds the natives to a class that could not find them. False: the class declares none of them.
bool register_client_natives(JNIEnv* jni, jclass link) {
  const JNINativeMethod natives[] = {
      native("nativeRegister", "(I)Z",
             Java_org_apache_harmony_dalvik_ddmc_AgentLink_nativeRegister),
      native("nativeUnregister", "(I)V",
             Java_org_apache_harmony_dalvik_ddmc_AgentLink_nativeUnregister),
      native("nativeSend", "(I[BII)V", Java_org_apache_harmony_dalvik_ddmc_AgentLink_nativeSend),
      native("nativeRequest", "(I[BZ)[B",
             Java_org_apache_harmony_dalvik_ddmc_AgentLink_nativeRequest),
  };
  const bool bound = jni->RegisterNatives(link, natives, std::size(natives)) == JNI_OK;
  clear_exception(jni);
  return bound;
}

}  // namespace

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
    jint status = 0;
    if (text_of(ClassSignature(jvmti_, klass.get())) != kLinkSignature ||
        jvmti_->GetClassStatus(klass.get(), &status) != JVMTI_ERROR_NONE ||
        (status & JVMTI_CLASS_STATUS_INITIALIZED) == 0) {
      continue;  // a class that is not initialized has not tried to find its natives yet
    }
    const auto program = ProgramClass::of(jni, klass.get());
    // The VM finds natives by name in this library only once the attach has completed.
    if (program && register_client_natives(jni, klass.get())) program->arrived(jni);
  }
}

}  // namespace ddm
