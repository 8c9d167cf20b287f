/* An agent that makes the VM's tables for the serviceability agent lack an entry: loaded before the
   agent under test with the entry's name, "Type::field" or a constant's, it gives it another. */
#include <dlfcn.h>
#include <jni.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static uint64_t exported(const char* symbol) {
  const uint64_t* at = dlsym(RTLD_DEFAULT, symbol);
  return at != NULL ? *at : 0;
}

static void hide(const char** name) {
  const uintptr_t page = (uintptr_t)name & ~(uintptr_t)4095;
  mprotect((void*)page, 8192, PROT_READ | PROT_WRITE);
  *name = "hidden";
}

/* Entries of { type, field } or { name }. */
static int hide_in(const char* table, uint64_t stride, uint64_t type_offset, uint64_t field_offset,
                   int has_field, const char* wanted) {
  const uint64_t entries = exported(table);
  int found = 0;
  if (entries == 0 || stride == 0) return 0;
  for (uint64_t at = entries; *(const char**)(at + type_offset) != NULL; at += stride) {
    char name[512];
    snprintf(name, sizeof name, has_field ? "%s::%s" : "%s", *(const char**)(at + type_offset),
             has_field ? *(const char**)(at + field_offset) : "");
    if (strcmp(name, wanted) != 0) continue;
    hide((const char**)(at + (has_field ? field_offset : type_offset)));
    ++found;
  }
  return found;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void* reserved) {
  (void)vm;
  (void)reserved;
  hide_in("gHotSpotVMStructs", exported("gHotSpotVMStructEntryArrayStride"),
          exported("gHotSpotVMStructEntryTypeNameOffset"),
          exported("gHotSpotVMStructEntryFieldNameOffset"), 1, options);
  hide_in("gHotSpotVMIntConstants", exported("gHotSpotVMIntConstantEntryArrayStride"),
          exported("gHotSpotVMIntConstantEntryNameOffset"), 0, 0, options);
  hide_in("gHotSpotVMLongConstants", exported("gHotSpotVMLongConstantEntryArrayStride"),
          exported("gHotSpotVMLongConstantEntryNameOffset"), 0, 0, options);
  return JNI_OK;
}
