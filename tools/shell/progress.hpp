// A line of progress on a terminal, for work that takes longer than two seconds.
#pragma once

#include <weft/detail/sync/clock.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace weft::cli {

/// Writes to standard error, so that a pipe does not carry it, and only if that is a terminal.
class progress {
public:
    progress() = default;
    /// With another delay: 0 for work that is known to take long.
    explicit progress(std::chrono::seconds delay) : delay_{delay} {}
    ~progress() { end(); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    /// Shows `text()`, which is called ten times a second at most.
    template <class Text>
    void show(const Text& text) {
        if (!is_terminal_) return;
        const auto now = sync::clock::now();
        if (now - begin_ < delay_ || now - last_ < std::chrono::milliseconds{100}) return;
        last_ = now;
        shown_ = true;
        std::fprintf(stderr, "\r\033[K%s", std::string{text()}.c_str());
        std::fflush(stderr);
    }
    /// Erases the line.
    void end() {
        if (shown_) std::fputs("\r\033[K", stderr);
        shown_ = false;
    }

private:
    bool is_terminal_ = ::isatty(STDERR_FILENO) != 0;
    std::chrono::seconds delay_{2};
    sync::clock::time_point begin_ = sync::clock::now();
    sync::clock::time_point last_{};
    bool shown_ = false;
};

} // namespace weft::cli
