// Requests of a program that are to fail.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::test {

enum class failing : std::uint8_t {
    once,     ///< one request, and the next succeeds again
    for_good, ///< that request and all that follow
};

/// Counts requests while it is armed. To be initialised by a constant: it is asked before main.
class failing_requests {
public:
    void arm(std::uint64_t chosen, failing mode) {
        made_.store(0);
        chosen_.store(chosen);
        for_good_.store(mode == failing::for_good);
    }
    void disarm() { chosen_.store(0); }
    [[nodiscard]] bool failed() const {
        return chosen_.load() != 0 && made_.load() >= chosen_.load();
    }

    bool next_fails() {
        const std::uint64_t chosen = chosen_.load();
        if (chosen == 0) return false;
        const std::uint64_t number = made_.fetch_add(1) + 1;
        return for_good_.load() ? number >= chosen : number == chosen;
    }

private:
    std::atomic<std::uint64_t> made_{0};
    std::atomic<std::uint64_t> chosen_{0}; // 0: not armed
    std::atomic<bool> for_good_{false};
};

} // namespace weft::test
