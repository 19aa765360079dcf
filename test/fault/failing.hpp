// The program's memory and threads, which fail when they are asked to.
#pragma once

#include <cstdint>

namespace weft::test {

enum class failing : std::uint8_t {
    once,     ///< one request, and the next succeeds again
    for_good, ///< that request and all that follow
};

/// While it lives, of all calls of operator new on all threads, counted from 1, number `which` throws
/// std::bad_alloc.
class failing_memory {
public:
    explicit failing_memory(std::uint64_t which, failing how = failing::once);
    ~failing_memory();
    failing_memory(const failing_memory&) = delete;
    failing_memory& operator=(const failing_memory&) = delete;

    /// Whether one has failed so far.
    [[nodiscard]] bool failed() const;
};

/// The same for calls of pthread_create, which return EAGAIN.
class failing_threads {
public:
    explicit failing_threads(std::uint64_t which, failing how = failing::once);
    ~failing_threads();
    failing_threads(const failing_threads&) = delete;
    failing_threads& operator=(const failing_threads&) = delete;

    [[nodiscard]] bool failed() const;
};

} // namespace weft::test
