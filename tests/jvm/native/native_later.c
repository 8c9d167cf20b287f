/* Opened by native_load.c while the program runs. */
#include <stdlib.h>

extern void* volatile later_kept;
void* volatile later_kept;

void leak_later(int count, int size) {
  for (int i = 0; i < count; ++i) {
    void** block = malloc((size_t)size);
    *block = later_kept;
    later_kept = block;
  }
}
