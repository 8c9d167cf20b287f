#include "adapters/client_api/client_natives.h"

#include <atomic>
#include <exception>
#include <new>

#include "adapters/client_api/client_api.h"
#include "core/log.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

std::atomic<ClientApi*> g_api{nullptr};

// No C++ exception may pass through Java.
template <typename Value, typename Work>
Value with_api(Value otherwise, Work work) {
  ClientApi* api = g_api;
  if (api == nullptr) return otherwise;
  try {
    return work(*api);
  } catch (const std::exception& failure) {
    log_error("in a call of ddm-client.jar: {}", failure.what());
    return otherwise;
  }
}

jboolean JNICALL register_type(JNIEnv* jni, jclass link, jint type) {
  return with_api<jboolean>(JNI_FALSE, [&](ClientApi& api) -> jboolean {
    return api.add(jni, link, static_cast<ChunkType>(type)) ? JNI_TRUE : JNI_FALSE;
  });
}

void JNICALL unregister_type(JNIEnv*, jclass, jint type) {
  with_api(0, [&](ClientApi& api) {
    api.remove(static_cast<ChunkType>(type));
    return 0;
  });
}

void JNICALL send(JNIEnv* jni, jclass, jint type, jbyteArray data, jint offset, jint length) {
  with_api(0, [&](ClientApi& api) {
    api.send(jni, static_cast<ChunkType>(type), data, offset, length);
    return 0;
  });
}

jbyteArray JNICALL request(JNIEnv* jni, jclass, jint type, jbyteArray data, jboolean for_all) {
  return with_api<jbyteArray>(nullptr, [&](ClientApi& api) {
    return api.request(jni, static_cast<ChunkType>(type), data, for_all == JNI_TRUE);
  });
}

template <typename Function>
JNINativeMethod native(const char* name, const char* signature, Function* function) {
  // JNINativeMethod has no const members.
  return {const_cast<char*>(name), const_cast<char*>(signature), reinterpret_cast<void*>(function)};
}

}  // namespace

void set_client_api(ClientApi* api) { g_api = api; }

bool register_client_natives(JNIEnv* jni, jclass link) {
  const JNINativeMethod natives[] = {
      native("nativeRegister", "(I)Z", register_type),
      native("nativeUnregister", "(I)V", unregister_type),
      native("nativeSend", "(I[BII)V", send),
      native("nativeRequest", "(I[BZ)[B", request),
  };
  const bool bound = jni->RegisterNatives(link, natives, std::size(natives)) == JNI_OK;
  clear_exception(jni);
  return bound;
}

}  // namespace ddm

extern "C" {

JNIEXPORT jboolean JNICALL Java_org_apache_harmony_dalvik_ddmc_AgentLink_nativeRegister(JNIEnv* jni,
                                                                                        jclass link,
                                                                                        jint type) {
  return ddm::register_type(jni, link, type);
}

JNIEXPORT void JNICALL Java_org_apache_harmony_dalvik_ddmc_AgentLink_nativeUnregister(JNIEnv* jni,
                                                                                      jclass link,
                                                                                      jint type) {
  ddm::unregister_type(jni, link, type);
}

JNIEXPORT void JNICALL Java_org_apache_harmony_dalvik_ddmc_AgentLink_nativeSend(
    JNIEnv* jni, jclass link, jint type, jbyteArray data, jint offset, jint length) {
  ddm::send(jni, link, type, data, offset, length);
}

JNIEXPORT jbyteArray JNICALL Java_org_apache_harmony_dalvik_ddmc_AgentLink_nativeRequest(
    JNIEnv* jni, jclass link, jint type, jbyteArray data, jboolean for_all) {
  return ddm::request(jni, link, type, data, for_all);
}
}
