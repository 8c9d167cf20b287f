// Test agent: counts the objects of the Java heap by kind, by JVMTI's own iteration, in the process
// whose map is to be judged. It shares no code with libddmagent and reads nothing of the VM.
//
// HeapShape.serve() (a native method) reads commands from stdin and answers on stdout with one line
// each, without making a single Java object:
//   count    {"object": [count, bytes], "class": ..., "array1": ... "array8": ..., "filler": ...}
//            filler: what the VM puts into holes, where it has classes of its own for that
//   gc       a full collection; "done"
//   time     milliseconds of CPU of an iteration, best of 3: before any object was tagged (once
//            only), and with the classes tagged, which it takes to know kinds
//   runs N   N iterations of that kind, "done"
// End of input ends it.
#include <jni.h>
#include <jvmti.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

jvmtiEnv* g_jvmti = nullptr;

enum Kind { kObject, kClass, kArray1, kArray2, kArray4, kArray8, kFiller, kKinds };
constexpr const char* kNames[kKinds] = {"object", "class",  "array1", "array2",
                                        "array4", "array8", "filler"};

struct Counts {
  long count[kKinds] = {};
  long bytes[kKinds] = {};
};

long cpu_ns() {  // of the whole process: the VM's thread does the work
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000L + time.tv_nsec;
}

jlong size_of_array(JNIEnv* jni, jsize length) {
  const jclass object = jni->FindClass("java/lang/Object");
  jlong size = 0;
  const jobjectArray array = jni->NewObjectArray(length, object, nullptr);
  g_jvmti->GetObjectSize(array, &size);
  jni->DeleteLocalRef(array);
  jni->DeleteLocalRef(object);
  return size;
}

Kind kind_of(const std::string& signature, Kind references) {
  if (signature == "Ljava/lang/Class;") return kClass;
  if (signature == "Ljdk/internal/vm/FillerObject;") return kFiller;
  if (signature == "[Ljdk/internal/vm/FillerElement;") return kFiller;
  if (signature[0] != '[') return kObject;
  switch (signature[1]) {
    case 'Z':
    case 'B':
      return kArray1;
    case 'C':
    case 'S':
      return kArray2;
    case 'I':
    case 'F':
      return kArray4;
    case 'J':
    case 'D':
      return kArray8;
    default:
      return references;
  }
}

void tag_classes(JNIEnv* jni, Kind references) {
  jint count = 0;
  jclass* classes = nullptr;
  g_jvmti->GetLoadedClasses(&count, &classes);
  for (jint i = 0; i < count; ++i) {
    char* signature = nullptr;
    if (g_jvmti->GetClassSignature(classes[i], &signature, nullptr) == JVMTI_ERROR_NONE) {
      g_jvmti->SetTag(classes[i], kind_of(signature, references) + 1);
      g_jvmti->Deallocate(reinterpret_cast<unsigned char*>(signature));
    }
    jni->DeleteLocalRef(classes[i]);
  }
  g_jvmti->Deallocate(reinterpret_cast<unsigned char*>(classes));
}

jint JNICALL count_object(jlong class_tag, jlong size, jlong*, jint, void* user) {
  auto& counts = *static_cast<Counts*>(user);
  const int kind = class_tag == 0 ? kFiller : static_cast<int>(class_tag) - 1;
  ++counts.count[kind];
  counts.bytes[kind] += size;
  return JVMTI_VISIT_OBJECTS;
}

jint JNICALL only_count(jlong, jlong, jlong*, jint, void* user) {
  ++*static_cast<long*>(user);
  return JVMTI_VISIT_OBJECTS;
}

void iterate(jvmtiHeapIterationCallback callback, void* user) {
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_iteration_callback = callback;
  const jvmtiError error = g_jvmti->IterateThroughHeap(0, nullptr, &callbacks, user);
  if (error != JVMTI_ERROR_NONE) {
    std::fprintf(stderr, "IterateThroughHeap: %d\n", error);
    std::abort();
  }
}

void count(JNIEnv* jni, Kind references) {
  tag_classes(jni, references);
  Counts counts;
  iterate(count_object, &counts);
  std::printf("{");
  for (int kind = 0; kind < kKinds; ++kind) {
    std::printf("%s\"%s\": [%ld, %ld]", kind == 0 ? "" : ", ", kNames[kind], counts.count[kind],
                counts.bytes[kind]);
  }
  std::printf("}\n");
}

// Best of 3, in milliseconds of CPU.
double time_of(jvmtiHeapIterationCallback callback, void* user) {
  long best = -1;
  for (int round = 0; round < 3; ++round) {
    const long begin = cpu_ns();
    iterate(callback, user);
    const long took = cpu_ns() - begin;
    best = best < 0 ? took : std::min(best, took);
  }
  return static_cast<double>(best) / 1e6;
}

void time_iterations(JNIEnv* jni, Kind references) {
  long objects = 0;
  const double bare = time_of(only_count, &objects);
  tag_classes(jni, references);
  Counts counts;
  std::printf("%.3f %.3f\n", bare, time_of(count_object, &counts));
}

}  // namespace

extern "C" {

JNIEXPORT void JNICALL Java_HeapShape_serve(JNIEnv* jni, jclass) {
  // Before the first count, so that it leaves nothing new behind.
  const Kind references =
      size_of_array(jni, 1000) - size_of_array(jni, 0) < 8000 ? kArray4 : kArray8;
  char line[64];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    if (std::strcmp(line, "count\n") == 0) {
      count(jni, references);
    } else if (std::strcmp(line, "gc\n") == 0) {
      g_jvmti->ForceGarbageCollection();
      std::printf("done\n");
    } else if (std::strcmp(line, "time\n") == 0) {
      time_iterations(jni, references);
    } else if (std::strncmp(line, "runs ", 5) == 0) {
      for (long left = std::atol(line + 5), objects = 0; left > 0; --left) {
        iterate(only_count, &objects);
      }
      std::printf("done\n");
    }
    std::fflush(stdout);
  }
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char*, void*) {
  void* env = nullptr;
  if (vm->GetEnv(&env, JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
  g_jvmti = static_cast<jvmtiEnv*>(env);
  jvmtiCapabilities wanted{};
  wanted.can_tag_objects = 1;
  return g_jvmti->AddCapabilities(&wanted) == JVMTI_ERROR_NONE ? JNI_OK : JNI_ERR;
}
}
