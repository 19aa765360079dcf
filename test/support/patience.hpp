// How long a test waits for what must come, before it says that it never does.
#pragma once

#include <algorithm>
#include <chrono>

namespace weft::test {

/// Time in which the machine has let us look: of what passes between two looks a millisecond counts
/// at most. A machine that is busy with others, or stands still for a minute, uses up next to
/// nothing of it.
class patience {
public:
    /// Whether there is none left; to be asked at each look.
    [[nodiscard]] bool is_over() {
        const auto now = clock::now();
        used_ += std::min<clock::duration>(now - last_, most_between_looks);
        last_ = now;
        return used_ > limit;
    }

private:
    using clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds limit{20};
    static constexpr std::chrono::milliseconds most_between_looks{1};

    clock::time_point last_ = clock::now();
    clock::duration used_{0};
};

} // namespace weft::test
