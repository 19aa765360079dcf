#include "runner/weft_c_stage.hpp"
#include "strict/config.hpp"

#include <array>

namespace bench::strict {
namespace {

/// A call as the C interface takes it: a function, and a pointer to what it needs.
template <class Body>
struct call {
    const Body* body;
    std::invoke_result_t<const Body&> result;

    static void* run(thread_pool* /*pool*/, void* data) {
        auto* self = static_cast<call*>(data);
        self->result = (*self->body)();
        return nullptr;
    }
};

struct stage : weft_c_stage {
    using weft_c_stage::weft_c_stage;
    template <class Forked, class Here>
    auto both(const Forked& forked, const Here& here) {
        call<Forked> away{&forked, {}};
        future* left = thread_pool_submit(pool(), call<Forked>::run, &away);
        const auto own = here();
        future_get(left);
        future_free(left);
        return own + away.result;
    }
    template <class Body>
    std::int64_t sum(int count, const Body& body) {
        struct item {
            const Body* body;
            int number;
        };
        const auto run = [](thread_pool* /*pool*/, void* data) -> void* {
            const item& own = *static_cast<const item*>(data);
            return reinterpret_cast<void*>(static_cast<std::intptr_t>((*own.body)(own.number)));
        };
        std::array<item, nqueens::most_rows> items{};
        std::array<future*, nqueens::most_rows> results{};
        for (int each = 0; each != count; ++each) {
            const auto i = static_cast<std::size_t>(each);
            items[i] = {&body, each};
            results[i] = thread_pool_submit(pool(), run, &items[i]);
        }
        std::int64_t total = 0;
        for (int each = 0; each != count; ++each) {
            future* one = results[static_cast<std::size_t>(each)];
            total += reinterpret_cast<std::intptr_t>(future_get(one));
            future_free(one);
        }
        return total;
    }
};

const registration registered{{"strict", "weft-c", contestants<stage>}};

} // namespace
} // namespace bench::strict
