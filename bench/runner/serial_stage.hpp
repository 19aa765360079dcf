// Without threads: what the others are compared with.
#pragma once

#include "runner/timed.hpp"

namespace bench {

struct serial_stage {
    explicit serial_stage(const request& /*how*/) {}
    [[nodiscard]] static parameters limits() { return {}; }
    void before() {}
    template <class Body>
    auto run(const Body& body) const {
        return body();
    }
    void after() {}
};

} // namespace bench
