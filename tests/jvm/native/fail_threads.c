// Preloaded: no thread can be created while the file exists that FAIL_THREADS names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*Create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) {
  const char* file = getenv("FAIL_THREADS");
  if (file != NULL && access(file, F_OK) == 0) return EAGAIN;
  Create create = (Create)dlsym(RTLD_NEXT, "pthread_create");
  return create(thread, attributes, start, argument);
}
