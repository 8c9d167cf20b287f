/* Opened by native_load.c with RTLD_LAZY and RTLD_DEEPBIND: its malloc and free are those of
   native_plugin_malloc.c, but not before it has called them. */
#include <stdlib.h>

char* plugin_text(void);
void use_own_blocks(int count);

void use_own_blocks(int count) {
  for (int i = 0; i < count; ++i) {
    char* volatile own = malloc(100);
    own[0] = 1;
    free(own);
    free(plugin_text());
  }
}
