/* What NativeLoad.java does with malloc. Blocks that are kept form chains. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* kept;

static void keep(void* first, void* last) {
  pthread_mutex_lock(&lock);
  *(void**)last = kept;
  kept = first;
  pthread_mutex_unlock(&lock);
}

void leak_by_malloc(int count, int size) {
  for (int i = 0; i < count; ++i) {
    void* block = malloc((size_t)size);
    keep(block, block);
  }
}

void leak_by_calloc(int count, int size) {
  for (int i = 0; i < count; ++i) {
    void* block = calloc(1, (size_t)size);
    keep(block, block);
  }
}

void leak_by_realloc(int count, int size) {
  for (int i = 0; i < count; ++i) {
    void* block = malloc((size_t)size / 2);
    block = realloc(block, (size_t)size);
    keep(block, block);
  }
}

void leak_by_array(int count, int size) {
  for (int i = 0; i < count; ++i) {
    void* block = malloc((size_t)size / 2);
    block = reallocarray(block, 10, (size_t)size / 10);
    keep(block, block);
  }
}

void leak_by_posix_memalign(int count, int size) {
  for (int i = 0; i < count; ++i) {
    void* block = NULL;
    if (posix_memalign(&block, 64, (size_t)size) == 0) keep(block, block);
  }
}

void leak_by_strdup(int count, int size) {
  char* text = malloc((size_t)size);
  memset(text, 'x', (size_t)size);
  text[size - 1] = 0;
  for (int i = 0; i < count; ++i) {
    void* block = strdup(text);
    keep(block, block);
  }
  free(text);
}

/* The ones kept last. */
void free_kept(int count, int size) {
  (void)size;
  pthread_mutex_lock(&lock);
  for (; count > 0 && kept != NULL; --count) {
    void* block = kept;
    kept = *(void**)block;
    free(block);
  }
  pthread_mutex_unlock(&lock);
}

/* Leaves nothing behind. */
void borrow(int count, int size) {
  for (int i = 0; i < count; ++i) {
    char* volatile block = malloc((size_t)size);
    block[0] = 1;
    free(block);
  }
}

typedef void (*leak)(int, int);

JNIEXPORT void JNICALL Java_NativeLoad_leak(JNIEnv* jni, jclass klass, jstring how, jint count,
                                            jint size) {
  (void)klass;
  const char* name = (*jni)->GetStringUTFChars(jni, how, NULL);
  leak function = (leak)dlsym(RTLD_DEFAULT, name);
  if (function == NULL) function = (leak)dlsym(dlopen("libnative_load.so", RTLD_NOLOAD), name);
  (*jni)->ReleaseStringUTFChars(jni, how, name);
  function(count, size);
}

JNIEXPORT jboolean JNICALL Java_NativeLoad_leakLater(JNIEnv* jni, jclass klass, jstring path,
                                                     jint count, jint size) {
  (void)klass;
  const char* name = (*jni)->GetStringUTFChars(jni, path, NULL);
  void* library = dlopen(name, RTLD_NOW);
  (*jni)->ReleaseStringUTFChars(jni, path, name);
  leak function = library != NULL ? (leak)dlsym(library, "leak_later") : NULL;
  if (function == NULL) return JNI_FALSE;
  function(count, size);
  return JNI_TRUE;
}

/* A library with an allocator of its own, as the loader binds it. */
JNIEXPORT jboolean JNICALL Java_NativeLoad_plugin(JNIEnv* jni, jclass klass, jstring path,
                                                  jint count) {
  (void)klass;
  const char* name = (*jni)->GetStringUTFChars(jni, path, NULL);
  void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
  (*jni)->ReleaseStringUTFChars(jni, path, name);
  void (*use)(int) = library != NULL ? (void (*)(int))dlsym(library, "use_own_blocks") : NULL;
  if (use == NULL) return JNI_FALSE;
  use(count);
  return JNI_TRUE;
}

/* Blocks of 16 to 143 bytes, every fifth of them free again. */
JNIEXPORT void JNICALL Java_NativeLoad_blocks(JNIEnv* jni, jclass klass, jint count) {
  (void)jni;
  (void)klass;
  unsigned seed = 1;
  void** holes = calloc((size_t)count / 5 + 1, sizeof *holes);
  int next = 0;
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525 + 1013904223;
    void* block = malloc(16 + (seed >> 16) % 128);
    if (i % 5 == 0) {
      holes[next++] = block;
    } else {
      keep(block, block);
    }
  }
  while (next > 0) free(holes[--next]);
  free(holes);
}

/* in use, free, in mappings of their own */
JNIEXPORT jlongArray JNICALL Java_NativeLoad_totals(JNIEnv* jni, jclass klass) {
  (void)klass;
  const struct mallinfo2 info = mallinfo2();
  const jlong totals[3] = {(jlong)info.uordblks, (jlong)info.fordblks, (jlong)info.hblkhd};
  jlongArray result = (*jni)->NewLongArray(jni, 3);
  (*jni)->SetLongArrayRegion(jni, result, 0, 3, totals);
  return result;
}

/* A program that lives from malloc: blocks of 16 bytes to 8 KiB, a few thousand alive at a time. */
JNIEXPORT jlong JNICALL Java_NativeLoad_work(JNIEnv* jni, jclass klass, jlong rounds) {
  (void)jni;
  (void)klass;
  enum { kAlive = 4096 };
  char** alive = calloc(kAlive, sizeof *alive);
  unsigned long seed = 1;
  unsigned long sum = 0;
  for (jlong i = 0; i < rounds; ++i) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    const unsigned at = (unsigned)(seed >> 52);
    const unsigned shift = (unsigned)(seed >> 32) % 10;
    const size_t size = (16ul << shift) - (seed >> 40) % 8;
    if (alive[at] != NULL) sum += (unsigned char)alive[at][0];
    free(alive[at]);
    alive[at] = malloc(size);
    memset(alive[at], (int)seed, size < 256 ? size : 256);
  }
  for (int i = 0; i < kAlive; ++i) free(alive[i]);
  free(alive);
  return (jlong)sum;
}

JNIEXPORT jlong JNICALL Java_NativeLoad_cpuNanos(JNIEnv* jni, jclass klass) {
  (void)jni;
  (void)klass;
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000 + now.tv_nsec;
}

struct word {
  struct word* next;
  char* text;
  int count;
};

static int by_count(const void* a, const void* b) {
  const struct word* left = *(struct word* const*)a;
  const struct word* right = *(struct word* const*)b;
  return left->count != right->count ? left->count - right->count : strcmp(left->text, right->text);
}

/* Another such program, one that does something with its memory: counts the words of made-up texts
   in a table of nodes and copies, sorts them, frees all. */
JNIEXPORT jlong JNICALL Java_NativeLoad_index(JNIEnv* jni, jclass klass, jlong texts) {
  (void)jni;
  (void)klass;
  enum { kBuckets = 1024, kWords = 3000 };
  unsigned long seed = 1;
  jlong sum = 0;
  for (jlong t = 0; t < texts; ++t) {
    struct word** buckets = calloc(kBuckets, sizeof *buckets);
    struct word** sorted = NULL;
    int known = 0;
    for (int i = 0; i < kWords; ++i) {
      char text[32];
      int length = 0;
      seed = seed * 6364136223846793005ul + 1442695040888963407ul;
      for (unsigned long rest = seed >> 44 & (seed >> 20); rest != 0; rest /= 8) {
        text[length++] = (char)('a' + rest % 8);
      }
      text[length] = 0;
      unsigned hash = 5381;
      for (int c = 0; c < length; ++c) hash = hash * 33 + (unsigned char)text[c];
      struct word* word = buckets[hash % kBuckets];
      while (word != NULL && strcmp(word->text, text) != 0) word = word->next;
      if (word == NULL) {
        word = malloc(sizeof *word);
        *word = (struct word){buckets[hash % kBuckets], strdup(text), 0};
        buckets[hash % kBuckets] = word;
        if ((known & (known - 1)) == 0) {
          sorted = realloc(sorted, (known == 0 ? 1 : 2 * (size_t)known) * sizeof *sorted);
        }
        sorted[known++] = word;
      }
      ++word->count;
    }
    qsort(sorted, (size_t)known, sizeof *sorted, by_count);
    for (int i = 0; i < known; ++i) {
      sum += sorted[i]->count * (i & 7);
      free(sorted[i]->text);
      free(sorted[i]);
    }
    free(sorted);
    free(buckets);
  }
  return sum;
}
