// The program's memory, which fails when it is asked to.
#pragma once

#include "fault/failing.hpp"

#include <cstdint>

namespace weft::test {

/// While it lives, one call of operator new, given by its number from 1 over all threads, throws
/// std::bad_alloc.
class failing_memory {
public:
    explicit failing_memory(std::uint64_t number, failing mode = failing::once);
    ~failing_memory();
    failing_memory(const failing_memory&) = delete;
    failing_memory& operator=(const failing_memory&) = delete;

    /// Whether one has failed so far.
    [[nodiscard]] bool failed() const;
};

/// How many results of operator new have not been deleted.
[[nodiscard]] std::int64_t live_allocations();

} // namespace weft::test
