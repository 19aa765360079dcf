#include "fault/failing_affinity.hpp"

#include "fault/failing.hpp"

#include <sched.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>

namespace weft::test {
namespace {

constinit failing_requests affinity_requests;

} // namespace

failing_affinity::failing_affinity() { affinity_requests.arm(1, failing::for_good); }
failing_affinity::~failing_affinity() { affinity_requests.disarm(); }

} // namespace weft::test

// The linker takes calls of sched_getaffinity here (--wrap).
extern "C" int __real_sched_getaffinity(pid_t thread, std::size_t size, cpu_set_t* cpus) noexcept;
extern "C" int __wrap_sched_getaffinity(pid_t thread, std::size_t size, cpu_set_t* cpus) noexcept {
    if (!weft::test::affinity_requests.next_fails()) {
        return __real_sched_getaffinity(thread, size, cpus);
    }
    errno = EPERM;
    return -1;
}
