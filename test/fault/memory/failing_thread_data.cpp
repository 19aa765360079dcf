#include "fault/memory/failing_thread_data.hpp"

#include <pthread.h>

#include <cerrno>

namespace weft::test {
namespace {

constinit thread_local bool fails = false;

} // namespace

failing_thread_data::failing_thread_data() { fails = true; }
failing_thread_data::~failing_thread_data() { fails = false; }

} // namespace weft::test

// The linker takes calls of pthread_setspecific here (--wrap).
extern "C" int __real_pthread_setspecific(pthread_key_t key, const void* value) noexcept;
extern "C" int __wrap_pthread_setspecific(pthread_key_t key, const void* value) noexcept {
    return weft::test::fails ? ENOMEM : __real_pthread_setspecific(key, value);
}
