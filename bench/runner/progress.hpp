// A line that tells what is being measured, for who sits at a terminal and has waited for two seconds.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace bench {

class progress {
public:
    ~progress() {
        if (shown_) std::fputs("\r\033[K", stderr);
    }
    progress() = default;
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    void tell(const std::string& what) {
        if (!is_terminal_ || std::chrono::steady_clock::now() - begin_ < std::chrono::seconds{2})
            return;
        shown_ = true;
        std::fprintf(stderr, "\r\033[K%s", what.c_str());
        std::fflush(stderr);
    }

private:
    bool is_terminal_ = ::isatty(STDERR_FILENO) != 0;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    bool shown_ = false;
};

} // namespace bench
