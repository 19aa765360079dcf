#include "fault/failing_threads.hpp"

#include <pthread.h>

#include <cerrno>

namespace weft::test {
namespace {

constinit failing_requests thread_requests;

} // namespace

failing_threads::failing_threads(std::uint64_t number, failing mode) {
    thread_requests.arm(number, mode);
}
failing_threads::~failing_threads() { thread_requests.disarm(); }
bool failing_threads::failed() const { return thread_requests.failed(); }

} // namespace weft::test

// The linker takes calls of pthread_create here (--wrap); the real one is that of the C library or
// of a sanitizer.
extern "C" int __real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                     void* (*body)(void*), void* data) noexcept;
extern "C" int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                     void* (*body)(void*), void* data) noexcept {
    if (weft::test::thread_requests.next_fails()) return EAGAIN;
    return __real_pthread_create(thread, attributes, body, data);
}
