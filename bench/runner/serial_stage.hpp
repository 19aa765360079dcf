// Without threads: the base of comparisons.
#pragma once

#include "runner/timed.hpp"

namespace bench {

struct serial_stage {
    explicit serial_stage(const request& /*request*/) {}
    [[nodiscard]] static parameters limits() { return {}; }
    void before() {}
    template <class Body>
    auto run(const Body& body) const {
        return body();
    }
    void after() {}
};

} // namespace bench
