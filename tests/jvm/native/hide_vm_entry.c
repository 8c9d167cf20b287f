/* An agent that makes the VM's tables for the serviceability agent lack an entry, or lie: loaded before
   the agent under test with the entry's name, "Type::field" or a constant's, it gives it another name;
   with "Type::field+8" another offset or address, or with "constant+8" another value. */
#include <dlfcn.h>
#include <jni.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static uint64_t exported(const char* symbol) {
  const uint64_t* at = dlsym(RTLD_DEFAULT, symbol);
  return at != NULL ? *at : 0;
}

static void open_page(const void* at) {
  const uintptr_t page = (uintptr_t)at & ~(uintptr_t)4095;
  mprotect((void*)page, 8192, PROT_READ | PROT_WRITE);
}

static void hide(const char** name) {
  open_page(name);
  *name = "hidden";
}

/* An offset, an address or a number of 8 bytes; of an int constant the low half. */
static void shift(uint64_t at, long by, int bytes) {
  open_page((void*)at);
  if (bytes == 4) {
    *(int32_t*)at += (int32_t)by;
  } else {
    *(uint64_t*)at += (uint64_t)by;
  }
}

static long shift_by = 0;

/* Entries of { type, field } or { name }. */
static int hide_in(const char* table, uint64_t stride, uint64_t type_offset, uint64_t field_offset,
                   int has_field, const char* wanted, uint64_t value_offset, int value_bytes) {
  const uint64_t entries = exported(table);
  int found = 0;
  if (entries == 0 || stride == 0) return 0;
  for (uint64_t at = entries; *(const char**)(at + type_offset) != NULL; at += stride) {
    char name[512];
    snprintf(name, sizeof name, has_field ? "%s::%s" : "%s", *(const char**)(at + type_offset),
             has_field ? *(const char**)(at + field_offset) : "");
    if (strcmp(name, wanted) != 0) continue;
    if (shift_by == 0) {
      hide((const char**)(at + (has_field ? field_offset : type_offset)));
    } else {
      const int is_static =
          has_field && *(int32_t*)(at + exported("gHotSpotVMStructEntryIsStaticOffset")) != 0;
      if (is_static) value_offset = exported("gHotSpotVMStructEntryAddressOffset");
      shift(at + value_offset, shift_by, value_bytes);
    }
    ++found;
  }
  return found;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void* reserved) {
  (void)vm;
  (void)reserved;
  char* by = strpbrk(options, "+-");
  if (by != NULL) {
    shift_by = strtol(by, NULL, 10);
    *by = 0;
  }
  int found = hide_in("gHotSpotVMStructs", exported("gHotSpotVMStructEntryArrayStride"),
                      exported("gHotSpotVMStructEntryTypeNameOffset"),
                      exported("gHotSpotVMStructEntryFieldNameOffset"), 1, options,
                      exported("gHotSpotVMStructEntryOffsetOffset"), 8);
  found += hide_in("gHotSpotVMIntConstants", exported("gHotSpotVMIntConstantEntryArrayStride"),
                   exported("gHotSpotVMIntConstantEntryNameOffset"), 0, 0, options,
                   exported("gHotSpotVMIntConstantEntryValueOffset"), 4);
  found += hide_in("gHotSpotVMLongConstants", exported("gHotSpotVMLongConstantEntryArrayStride"),
                   exported("gHotSpotVMLongConstantEntryNameOffset"), 0, 0, options,
                   exported("gHotSpotVMLongConstantEntryValueOffset"), 8);
  found += hide_in("gHotSpotVMTypes", exported("gHotSpotVMTypeEntryArrayStride"),
                   exported("gHotSpotVMTypeEntryTypeNameOffset"), 0, 0, options,
                   exported("gHotSpotVMTypeEntrySizeOffset"), 8);
  if (shift_by != 0 && found == 0) fprintf(stderr, "not in the tables: %s\n", options);
  return JNI_OK;
}
