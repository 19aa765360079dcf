// How the thread that called `run` sleeps between two looks at its messages.
#pragma once

#include <memory>

namespace weft::inline v0::detail {

/// A timed sleep that other threads of the process may end. Waiting inside MPI would use a whole
/// CPU.
class napper {
public:
    napper();
    ~napper();
    napper(const napper&) = delete;
    napper& operator=(const napper&) = delete;

    void nap(double seconds) noexcept;
    /// From any thread: ends the nap, or the next one.
    void wake() noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// Naps that become longer, each an eighth of the time waited so far: what is awaited is seen with
/// a delay in proportion, and a long wait uses little of a CPU.
class patience {
public:
    explicit patience(napper& sleeper) noexcept : napper_{&sleeper} {}
    void nap() noexcept {
        napper_->nap(next_);
        next_ = next_ * 9 / 8 < longest ? next_ * 9 / 8 : longest;
    }
    void reset() noexcept { next_ = shortest; }

private:
    static constexpr double shortest = 10e-6;
    static constexpr double longest = 1e-3; // about 1 % of a CPU
    napper* napper_;
    double next_ = shortest;
};

} // namespace weft::inline v0::detail
