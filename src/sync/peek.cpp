#include "sync/peek.hpp"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <fcntl.h>

#include <cerrno>
#include <cstdint>

namespace weft::inline v0::sync {
namespace {

/// Used where process_vm_readv is forbidden.
bool peek_by_file(const void* source, void* target, std::size_t size) noexcept {
    const int file = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t got =
        ::pread(file, target, size, static_cast<off_t>(reinterpret_cast<std::intptr_t>(source)));
    ::close(file);
    return got == static_cast<ssize_t>(size);
}

} // namespace

bool peek(const void* source, void* target, std::size_t size) noexcept {
    const int kept = errno; // a signal handler must preserve it
    iovec local{target, size};
    iovec remote{const_cast<void*>(source), size};
    // A direct system call, since sanitizers intercept the library's function.
    const long got = ::syscall(SYS_process_vm_readv, ::getpid(), &local, 1L, &remote, 1L, 0L);
    const bool forbidden = got < 0 && (errno == ENOSYS || errno == EPERM);
    const bool read =
        forbidden ? peek_by_file(source, target, size) : got == static_cast<long>(size);
    errno = kept;
    return read;
}

} // namespace weft::inline v0::sync
