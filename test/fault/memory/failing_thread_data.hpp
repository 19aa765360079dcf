// Data of a thread, for which there is no room when a test asks for that.
#pragma once

namespace weft::test {

/// While it lives, every call of pthread_setspecific by this thread returns ENOMEM.
class failing_thread_data {
public:
    failing_thread_data();
    ~failing_thread_data();
    failing_thread_data(const failing_thread_data&) = delete;
    failing_thread_data& operator=(const failing_thread_data&) = delete;
};

} // namespace weft::test
