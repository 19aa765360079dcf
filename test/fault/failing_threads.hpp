// The program's threads, which fail when they are asked to.
#pragma once

#include "fault/failing.hpp"

namespace weft::test {

/// While it lives, one call of pthread_create, given by its number from 1, returns EAGAIN.
class failing_threads {
public:
    explicit failing_threads(std::uint64_t number, failing mode = failing::once);
    ~failing_threads();
    failing_threads(const failing_threads&) = delete;
    failing_threads& operator=(const failing_threads&) = delete;

    /// Whether one has failed so far.
    [[nodiscard]] bool failed() const;
};

} // namespace weft::test
