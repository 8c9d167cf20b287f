/* A program that embeds the VM: opens $LIBJVM with RTLD_LOCAL and runs a main class.
   embedding_launcher [VM options] -cp PATH CLASS [arguments]
   With $AFTER_VM it goes on when the VM is destroyed, and tells what is left: "fd LINK" and
   "thread NAME", a line each, then "end"; until a line comes on stdin. */
#include <dirent.h>
#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef jint(JNICALL* create_vm)(JavaVM**, void**, void*);

static int fail(const char* what) {
  fprintf(stderr, "embedding_launcher: %s\n", what);
  return 2;
}

/* "a/b/Main" of "a.b.Main" */
static char* with_slashes(char* name) {
  for (char* at = name; *at != 0; ++at) {
    if (*at == '.') *at = '/';
  }
  return name;
}

static int run(JNIEnv* jni, char** words, int count) {
  jclass klass = (*jni)->FindClass(jni, with_slashes(words[0]));
  jmethodID method = klass == NULL ? NULL
                                   : (*jni)->GetStaticMethodID(jni, klass, "main",
                                                               "([Ljava/lang/String;)V");
  jclass string = (*jni)->FindClass(jni, "java/lang/String");
  if (method == NULL || string == NULL) return fail("no such main class");
  jobjectArray arguments = (*jni)->NewObjectArray(jni, count - 1, string, NULL);
  for (int i = 1; i < count; ++i) {
    (*jni)->SetObjectArrayElement(jni, arguments, i - 1, (*jni)->NewStringUTF(jni, words[i]));
  }
  (*jni)->CallStaticVoidMethod(jni, klass, method, arguments);
  const int failed = (*jni)->ExceptionCheck(jni);
  if (failed) (*jni)->ExceptionDescribe(jni);
  return failed;
}

static void tell_threads_and_files(void) {
  char path[300], text[300];
  DIR* directory = opendir("/proc/self/fd");
  for (struct dirent* entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
    snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
    const ssize_t size = readlink(path, text, sizeof text - 1);
    if (size > 0) printf("fd %.*s\n", (int)size, text);
  }
  if (directory != NULL) closedir(directory);
  directory = opendir("/proc/self/task");
  for (struct dirent* entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE* name = fopen(path, "r");
    if (name == NULL) continue;
    if (fgets(text, sizeof text, name) != NULL) printf("thread %s", text);
    fclose(name);
  }
  if (directory != NULL) closedir(directory);
  puts("end");
  fflush(stdout);
}

int main(int argc, char** argv) {
  const char* path = getenv("LIBJVM");
  void* library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  create_vm create = library != NULL ? (create_vm)dlsym(library, "JNI_CreateJavaVM") : NULL;
  if (create == NULL) return fail("LIBJVM is no libjvm.so");
  JavaVMOption* options = calloc((size_t)argc, sizeof *options);
  JavaVMInitArgs arguments = {JNI_VERSION_10, 0, options, JNI_FALSE};
  int next = 1;
  for (; next < argc && argv[next][0] == '-'; ++next) {
    JavaVMOption* option = &options[arguments.nOptions++];
    if (strcmp(argv[next], "-cp") == 0 && next + 1 < argc) {
      const char kProperty[] = "-Djava.class.path=";
      option->optionString = calloc(1, sizeof kProperty + strlen(argv[++next]));
      strcat(strcpy(option->optionString, kProperty), argv[next]);
    } else {
      option->optionString = argv[next];
    }
  }
  if (next == argc) return fail("which main class?");
  JavaVM* vm = NULL;
  JNIEnv* jni = NULL;
  if (create(&vm, (void**)&jni, &arguments) != JNI_OK) return fail("no VM");
  const int result = run(jni, argv + next, argc - next);
  (*vm)->DestroyJavaVM(vm);
  if (getenv("AFTER_VM") != NULL) {
    do {
      tell_threads_and_files();
    } while (getchar() != EOF);
  }
  free(options);
  return result;
}
