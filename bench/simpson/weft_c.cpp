#include "runner/weft_c_stage.hpp"
#include "simpson/config.hpp"

namespace bench::simpson {
namespace {

struct task {
    interval whole;
    double area;
};

/// `data` points to a task; its area is the result.
void* integrate(thread_pool* pool, void* data) {
    task& self = *static_cast<task*>(data);
    const halving halves{self.whole};
    if (halves.is_done) {
        self.area = halves.area;
        return nullptr;
    }
    task left{halves.left, 0};
    task right{halves.right, 0};
    future* forked = thread_pool_submit(pool, integrate, &left);
    integrate(pool, &right);
    future_get(forked);
    future_free(forked);
    self.area = left.area + right.area;
    return nullptr;
}

const registration registered{{"simpson", "weft-c", [](const request& request) {
                                   return contestants<weft_c_stage>(
                                       request,
                                       [](const weft_c_stage& stage, const interval& whole) {
                                           task all{whole, 0};
                                           integrate(stage.pool(), &all);
                                           return all.area;
                                       });
                               }}};

} // namespace
} // namespace bench::simpson
