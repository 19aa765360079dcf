// A thread that a test knows to be asleep, without waiting for what may be too short a time.
#pragma once

#include "support/patience.hpp"

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/thread.hpp>

#include <pthread.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace weft::test {

/// Nanoseconds that the clock of a thread's CPU time shows.
inline std::int64_t cpu_time(clockid_t clock) {
    std::timespec time{};
    ::clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class observed_thread {
public:
    template <class Body>
    explicit observed_thread(Body body)
        : thread_{{}, [this, body = std::move(body)]() mutable {
                      handle_ = ::pthread_self();
                      id_.store(::gettid(), sync::release); // with the handle
                      body();
                      ended_.store(true, sync::release);
                  }} {}
    observed_thread(const observed_thread&) = delete;
    observed_thread& operator=(const observed_thread&) = delete;
    ~observed_thread() = default;

    /// Returns once the body sleeps: true; or has ended without: false.
    bool falls_asleep() const {
        for (;;) {
            const auto found = look();
            if (!found || ended()) return false;
            if (found->asleep) return true;
            sync::yield();
        }
    }

    /// How often it went to sleep so far. Nothing, once the thread is gone.
    std::optional<std::uint64_t> sleeps() const {
        const auto found = look();
        if (!found || ended()) return std::nullopt;
        return found->sleeps;
    }

    bool ended() const noexcept { return ended_.load(sync::acquire); }

    /// Returns once the body has ended: true; or a hang is certain: false.
    bool ends() const {
        patience left;
        while (!ended()) {
            if (left.is_over()) return false;
            sync::yield();
        }
        return true;
    }

    /// For an observed thread that has not ended.
    std::int64_t used_cpu_time() const {
        clockid_t clock{};
        ::pthread_getcpuclockid(handle(), &clock);
        return cpu_time(clock);
    }

    /// To signal it with.
    pthread_t handle() const noexcept {
        static_cast<void>(id());
        return handle_;
    }

private:
    struct status {
        bool asleep = false;
        std::uint64_t sleeps = 0;
    };

    pid_t id() const noexcept {
        for (;;) {
            const pid_t id = id_.load(sync::acquire);
            if (id != 0) return id;
            sync::yield();
        }
    }

    /// What the kernel reports about it; nothing once it is gone.
    std::optional<status> look() const {
        std::ifstream file{"/proc/self/task/" + std::to_string(id()) + "/status"};
        status found;
        bool complete = false;
        std::string key;
        while (file >> key) {
            if (key == "State:") {
                char state = '?';
                file >> state;
                found.asleep = state == 'S';
            } else if (key == "voluntary_ctxt_switches:") {
                complete = static_cast<bool>(file >> found.sleeps);
            }
            file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
        }
        if (!complete) return std::nullopt;
        return found;
    }

    sync::atomic<pid_t> id_{0};
    sync::atomic<bool> ended_{false};
    pthread_t handle_{};
    sync::thread thread_; // last, so that it is joined before the rest goes
};

} // namespace weft::test
