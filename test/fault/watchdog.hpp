// Ends a program that hangs.
#pragma once

#include <unistd.h>

namespace weft::test {

/// The program ends by SIGALRM unless this ends first; the limit is far beyond what a test takes.
class watchdog {
public:
    explicit watchdog(unsigned seconds = 280) { ::alarm(seconds); }
    ~watchdog() { ::alarm(0); }
    watchdog(const watchdog&) = delete;
    watchdog& operator=(const watchdog&) = delete;
};

} // namespace weft::test
