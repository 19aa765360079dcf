// A system that does not say which CPUs the program may use.
#pragma once

namespace weft::test {

/// While it lives, every call of sched_getaffinity fails.
class failing_affinity {
public:
    failing_affinity();
    ~failing_affinity();
    failing_affinity(const failing_affinity&) = delete;
    failing_affinity& operator=(const failing_affinity&) = delete;
};

} // namespace weft::test
