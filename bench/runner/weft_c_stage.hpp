// A pool of weft's C interface.
#pragma once

#include "runner/timed.hpp"

#include <threadpool.h>

#include <stdexcept>
#include <type_traits>

namespace bench {

class weft_c_stage {
public:
    explicit weft_c_stage(const request& request)
        : pool_{thread_pool_new(static_cast<int>(request.threads))} {
        if (pool_ == nullptr) throw std::runtime_error{"thread_pool_new failed"};
    }
    ~weft_c_stage() { thread_pool_shutdown_and_destroy(pool_); }
    weft_c_stage(const weft_c_stage&) = delete;
    weft_c_stage& operator=(const weft_c_stage&) = delete;

    [[nodiscard]] static parameters limits() { return {}; }
    [[nodiscard]] thread_pool* pool() const { return pool_; }
    template <class Body>
    auto run(const Body& body) const {
        struct call {
            const Body* body;
            std::invoke_result_t<const Body&> result;
        } entered{&body, {}};
        const auto enter = [](thread_pool* /*pool*/, void* data) -> void* {
            auto* made = static_cast<call*>(data);
            made->result = (*made->body)();
            return nullptr;
        };
        future* ended = thread_pool_submit(pool_, enter, &entered);
        future_get(ended);
        future_free(ended);
        return entered.result;
    }
    void before() {
        run([] { return 0; });
    }
    void after() {}

private:
    thread_pool* pool_;
};

} // namespace bench
