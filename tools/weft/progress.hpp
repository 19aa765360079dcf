// A line that tells how far something is, for who sits at a terminal and has waited for two seconds.
#pragma once

#include <weft/detail/sync/clock.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace weft::cli {

/// Standard error, which a pipe does not take. Nothing is written anywhere but to a terminal.
class progress {
public:
    progress() = default;
    /// Shown from the beginning, for what is known to take long.
    explicit progress(std::chrono::seconds patience) : patience_{patience} {}
    ~progress() { end(); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    /// `text()` is asked for a few times a second at most.
    template <class Text>
    void tell(const Text& text) {
        if (!is_terminal_) return;
        const auto now = sync::clock::now();
        if (now - begin_ < patience_ || now - last_ < std::chrono::milliseconds{100}) return;
        last_ = now;
        shown_ = true;
        std::fprintf(stderr, "\r\033[K%s", std::string{text()}.c_str());
        std::fflush(stderr);
    }
    /// Takes the line away.
    void end() {
        if (shown_) std::fputs("\r\033[K", stderr);
        shown_ = false;
    }

private:
    bool is_terminal_ = ::isatty(STDERR_FILENO) != 0;
    std::chrono::seconds patience_{2};
    sync::clock::time_point begin_ = sync::clock::now();
    sync::clock::time_point last_{};
    bool shown_ = false;
};

} // namespace weft::cli
