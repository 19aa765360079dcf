/* Which sanitizer this is compiled with, in C and in C++: g++ says so by a macro, clang by a
 * feature. */
#pragma once

#ifdef __has_feature
#define WEFT_HAS_FEATURE(name) __has_feature(name)
#else
#define WEFT_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || WEFT_HAS_FEATURE(address_sanitizer)
#define WEFT_ADDRESS_SANITIZED 1
#else
#define WEFT_ADDRESS_SANITIZED 0
#endif

#if defined(__SANITIZE_THREAD__) || WEFT_HAS_FEATURE(thread_sanitizer)
#define WEFT_THREAD_SANITIZED 1
#else
#define WEFT_THREAD_SANITIZED 0
#endif

#define WEFT_SANITIZED (WEFT_ADDRESS_SANITIZED || WEFT_THREAD_SANITIZED)
