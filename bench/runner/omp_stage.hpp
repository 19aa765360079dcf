// An OpenMP team: one thread starts the work, the others wait for tasks.
#pragma once

#include "runner/timed.hpp"

#include <omp.h>

#include <type_traits>

namespace bench {

class omp_stage {
public:
    explicit omp_stage(const request& request) : threads_{static_cast<int>(request.threads)} {}
    [[nodiscard]] static parameters limits() { return {}; }
    template <class Body>
    auto run(const Body& body) const {
        std::invoke_result_t<const Body&> result{};
#pragma omp parallel num_threads(threads_) default(none) shared(body, result)
#pragma omp single
        result = body();
        return result;
    }
    void before() {
        run([] { return 0; });
    }
    /// The team would keep spinning, and slow down the next measurement.
    void after() { omp_pause_resource_all(omp_pause_soft); }

private:
    int threads_;
};

} // namespace bench
