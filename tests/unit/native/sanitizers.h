// DDM_OWN_MALLOC is defined where a sanitizer has put its own malloc in the place of libc's.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DDM_OWN_MALLOC
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DDM_OWN_MALLOC
#endif
#endif
