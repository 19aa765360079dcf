// std::async starts a thread for each task, so forks stop at a certain depth.
#pragma once

#include "runner/timed.hpp"

#include <bit>
#include <cstdint>

namespace bench {

class async_stage {
public:
    explicit async_stage(const request& request)
        : depth_{static_cast<int>(std::bit_width(request.threads - 1)) + 3} {}
    [[nodiscard]] parameters limits() const { return {{"cut_off_depth", std::int64_t{depth_}}}; }
    /// Binary forks down to this depth give eight tasks or more for each thread.
    [[nodiscard]] int depth() const { return depth_; }
    void before() {}
    template <class Body>
    auto run(const Body& body) const {
        return body();
    }
    void after() {}

private:
    int depth_;
};

} // namespace bench
