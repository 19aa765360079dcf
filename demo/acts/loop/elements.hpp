// A loop whose last hundredth of indices takes a thousand times as long as the others: it is nine
// tenths of the work.
#pragma once

#include "acts/act.hpp"
#include "acts/loop/busy_log.hpp"
#include "acts/timing.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::demo::loop {

/// A turn of a linear congruential generator, or many of them: so the result of an element is
/// computed turn by turn in the loop, and by a formula when it is checked.
struct turns {
    std::uint64_t factor = 6364136223846793005ULL;
    std::uint64_t summand = 1442695040888963407ULL;

    [[nodiscard]] std::uint64_t operator()(std::uint64_t state) const {
        return state * factor + summand;
    }
    /// These, then others.
    [[nodiscard]] turns then(const turns& others) const {
        return {factor * others.factor, others(summand)};
    }
    [[nodiscard]] static turns many(std::size_t count) {
        turns all{1, 0};
        turns square;
        for (; count != 0; count /= 2, square = square.then(square)) {
            if (count % 2 != 0) all = all.then(square);
        }
        return all;
    }
};

class elements {
public:
    elements(std::size_t count, std::size_t threads) : results_(count), logs_{threads} {}

    [[nodiscard]] std::size_t size() const { return results_.size(); }

    /// The body of the loop.
    void compute(std::size_t index) {
        const std::int64_t begin = now_in_nanoseconds();
        std::uint64_t state = index;
        for (std::size_t left = turns_of(index); left != 0; --left) {
            state = turns{}(state);
            asm volatile("" : "+r"(state)); // keeps the loop from being optimised away
        }
        results_[index] += state;
        logs_.own().add(begin, now_in_nanoseconds());
    }

    [[nodiscard]] bool are_right() const {
        const turns cheap = turns::many(turns_of(0));
        const turns dear = turns::many(turns_of(size() - 1));
        for (std::size_t index = 0; index != size(); ++index) {
            const turns& all = is_dear(index) ? dear : cheap;
            if (results_[index] != all(index)) return false;
        }
        return true;
    }
    [[nodiscard]] const busy_logs& logs() const { return logs_; }

private:
    [[nodiscard]] bool is_dear(std::size_t index) const { return index >= size() - size() / 100; }
    /// A turn takes about 1.2 ns.
    [[nodiscard]] std::size_t turns_of(std::size_t index) const {
        return is_dear(index) ? 250'000 : 250;
    }

    std::vector<std::uint64_t> results_;
    busy_logs logs_;
};

/// `run(elements)`, timed and checked, on this number of threads.
template <class Run>
outcome measure(const settings& settings, std::size_t threads, Run run) {
    elements few{200, threads}; // until the threads have started
    run(few);
    elements all{settings.choose<std::size_t>(100'000, 2'000), threads};
    const std::int64_t begin = now_in_nanoseconds();
    run(all);
    const std::int64_t end = now_in_nanoseconds();
    const double seconds = static_cast<double>(end - begin) * 1e-9;
    return {{{"seconds", seconds, "s"}, {"busy", 100 * all.logs().busy_share(begin, end), "%"}},
            {{"every element was computed once, and is right", all.are_right()}},
            all.logs().curves(begin)};
}

} // namespace weft::demo::loop
