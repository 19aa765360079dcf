// A weft pool, and a parallel loop for it.
#pragma once

#include "runner/timed.hpp"

#include <weft/fork_join.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <cstddef>
#include <cstdint>

namespace bench {

class weft_stage {
public:
    explicit weft_stage(const request& request)
        : pool_{weft::pool_options{.workers = request.threads, .stack_size = stack_size}} {}
    [[nodiscard]] static parameters limits() { return {}; }
    void before() {
        pool_.run([] {});
    }
    template <class Body>
    auto run(const Body& body) {
        return pool_.run(body);
    }
    void after() {}
    [[nodiscard]] weft::pool& pool() { return pool_; }

private:
    static constexpr std::size_t stack_size = std::size_t{8} << 20;
    weft::pool pool_;
};

/// The sum of body(first) to body(last - 1), by recursive halves.
template <class Body>
std::int64_t fork_sum(int first, int last, const Body& body) {
    if (first == last) return 0;
    if (last - first == 1) return body(first);
    const int middle = first + (last - first) / 2;
    const auto [left, right] =
        weft::fork_join([first, middle, &body] { return fork_sum(first, middle, body); },
                        [middle, last, &body] { return fork_sum(middle, last, body); });
    return left + right;
}

} // namespace bench
