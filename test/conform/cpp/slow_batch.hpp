// A batch of contracts that only another thread can finish.
#pragma once

#include "conform/cpp/rendezvous.hpp"

#include <weft/contract.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace weft::test {

/// Two contracts that a thread has claimed together; it is in the first, which goes on until the
/// second has run. So another thread has to free that one.
class slow_batch {
public:
    slow_batch() {
        slow_.schedule();
        neighbour_.schedule();
        driver_ = std::jthread{[this] { group_.execute_some(2); }};
        begun_.await();
    }
    [[nodiscard]] contract_group& group() { return group_; }
    [[nodiscard]] bool has_run() const { return neighbour_ran_.load(); }

private:
    contract_group group_;
    event begun_;
    std::atomic<bool> neighbour_ran_{false};
    const contract slow_ = group_.create([this] {
        begun_.happen();
        EXPECT_TRUE(comes_soon([this] { return has_run(); }));
    });
    const contract neighbour_ = group_.create([this] { neighbour_ran_ = true; });
    std::jthread driver_;
};

} // namespace weft::test
