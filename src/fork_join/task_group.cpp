#include <weft/task_group.hpp>

#include <weft/error.hpp>

namespace weft {

task_group::task_group() : pool_{pool::current()} {
    if (pool_ == nullptr) throw error{errc::outside_pool, "weft::task_group"};
}

task_group::task_group(pool& where) : pool_{&where} {}

task_group::~task_group() {
    if (std::exception_ptr failed = join_all()) pool_->core().errors->report(std::move(failed));
}

void task_group::wait() {
    if (std::exception_ptr failed = join_all()) std::rethrow_exception(std::move(failed));
}

/// With room for the calls from here to the join.
void task_group::require_stack() {
    constexpr std::size_t calls = 4096;
    if (const detail::worker* here = detail::worker::current()) {
        here->require_stack("weft::task_group::run", calls);
    }
}

/// No task outlives its scope: one that cannot be run for want of stack ends without being run.
void task_group::join(future<void>& member) {
    try {
        member.wait();
    } catch (const error& failed) {
        if (failed.code() != errc::stack_exhausted) throw;
        member.task_->end_unrun(errc::stack_exhausted);
    }
    member.get();
}

std::exception_ptr task_group::join_all() {
    std::exception_ptr first;
    while (detail::group_member* taken = members_.take_all()) {
        while (taken != nullptr) {
            const std::unique_ptr<detail::group_member> member{taken};
            taken = taken->next;
            try {
                join(member->result);
            } catch (const error& failed) {
                const bool ours = failed.code() == errc::cancelled && cancelled();
                if (!first && !ours) first = std::current_exception();
            } catch (...) {
                if (!first) first = std::current_exception();
            }
        }
    }
    return first;
}

} // namespace weft
