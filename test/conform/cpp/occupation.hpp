// A pool whose workers are all busy.
#pragma once

#include "conform/cpp/rendezvous.hpp"

#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <atomic>
#include <cstddef>
#include <vector>

namespace weft::test {

/// Tasks that keep every worker busy while it lives.
class occupation {
public:
    explicit occupation(pool& workers) : workers_{workers.workers()} {
        for (std::size_t i = 0; i < workers_; ++i) {
            tasks_.push_back(workers.submit([this] {
                ++busy_;
                over_.await();
            }));
        }
        spin_until([this] { return busy_ == workers_; });
    }
    ~occupation() {
        over_.happen();
        for (future<void>& each : tasks_) each.wait();
    }
    occupation(const occupation&) = delete;
    occupation& operator=(const occupation&) = delete;

private:
    std::size_t workers_;
    std::atomic<std::size_t> busy_{0};
    event over_;
    std::vector<future<void>> tasks_;
};

} // namespace weft::test
