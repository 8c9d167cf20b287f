#include "adapters/client_api/program_class.h"

#include "vm/java_text.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr jint kRefsPerClass = 8;

jbyteArray bytes_to_java(JNIEnv* jni, const Bytes& bytes) {
  return java_bytes(jni, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

std::shared_ptr<ProgramClass> ProgramClass::of(JNIEnv* jni, jclass link) {
  JavaVM* vm = nullptr;
  if (jni->GetJavaVM(&vm) != JNI_OK) return nullptr;
  const jweak weak = jni->NewWeakGlobalRef(link);
  if (weak == nullptr) {
    clear_exception(jni);
    return nullptr;
  }
  std::shared_ptr<ProgramClass> result(new ProgramClass(vm, weak));
  const auto method = [&](const char* name, const char* signature) {
    return jni->ExceptionCheck() ? nullptr : jni->GetStaticMethodID(link, name, signature);
  };
  result->dispatch_ = method("dispatch", "(I[B)[B");
  result->broadcast_ = method("broadcast", "(I)V");
  result->arrived_ = method("arrived", "()V");
  if (clear_exception(jni)) return nullptr;
  return result;
}

ProgramClass::~ProgramClass() {
  void* env = nullptr;
  // A thread without an environment may hold the last reference: at the VM's end, and where the
  // I/O thread calls a handler that the program removes meanwhile. Then the few bytes of the weak
  // reference are lost.
  if (vm_->GetEnv(&env, JNI_VERSION_10) == JNI_OK) {
    static_cast<JNIEnv*>(env)->DeleteWeakGlobalRef(link_);
  }
}

bool ProgramClass::is(JNIEnv* jni, jclass link) const { return jni->IsSameObject(link_, link); }

bool ProgramClass::unloaded(JNIEnv* jni) const { return jni->IsSameObject(link_, nullptr); }

void ProgramClass::dispatch(JNIEnv* jni, ChunkType type, const Bytes& data, Reply reply) const {
  const LocalFrame frame(jni, kRefsPerClass);
  const auto link = static_cast<jclass>(jni->NewLocalRef(link_));
  if (!frame.good() || link == nullptr) {
    reply.send_empty();  // the class is unloaded, and its handler with it
    return;
  }
  const jbyteArray request = bytes_to_java(jni, data);
  if (request != nullptr) {
    const auto answer = static_cast<jbyteArray>(
        jni->CallStaticObjectMethod(link, dispatch_, static_cast<jint>(type), request));
    if (!clear_exception(jni)) {
      const Bytes bytes = from_java(jni, answer);
      ByteReader in(bytes);
      const ChunkType answer_type = in.u4();
      const ByteSpan rest = in.rest();
      if (!in.ok()) return reply.send_empty();
      return reply.send(Chunk{answer_type, Bytes(rest.begin(), rest.end())});
    }
  }
  clear_exception(jni);
  reply.fail(FailCode::kInternal, "the program's handler ended with an exception");
}

template <typename... Arguments>
void ProgramClass::call(JNIEnv* jni, jmethodID method, Arguments... arguments) const {
  const LocalRef<jclass> link(jni, static_cast<jclass>(jni->NewLocalRef(link_)));
  if (!link) return;
  jni->CallStaticVoidMethod(link.get(), method, arguments...);
  clear_exception(jni);  // an exception of the program, which was reported to it
}

void ProgramClass::broadcast(JNIEnv* jni, int event) const {
  call(jni, broadcast_, static_cast<jint>(event));
}

void ProgramClass::arrived(JNIEnv* jni) const { call(jni, arrived_); }

jbyteArray to_java(JNIEnv* jni, const Chunk& answer) {
  ByteWriter all;
  all.u4(answer.type);
  all.bytes(answer.data);
  return bytes_to_java(jni, all.take());
}

Bytes from_java(JNIEnv* jni, jbyteArray array) {
  if (array == nullptr) return {};
  Bytes bytes(static_cast<std::size_t>(jni->GetArrayLength(array)));
  jni->GetByteArrayRegion(array, 0, static_cast<jsize>(bytes.size()),
                          reinterpret_cast<jbyte*>(bytes.data()));
  return bytes;
}

}  // namespace ddm
