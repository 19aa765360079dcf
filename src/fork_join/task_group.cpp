#include <weft/detail/pool/represented_pool.hpp>
#include <weft/error.hpp>
#include <weft/task_group.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

namespace weft::inline v0 {

task_group::task_group() : pool_{&detail::implied_pool("weft::task_group").public_pool} {}

task_group::task_group(pool& owner) : pool_{&owner} {}

task_group::~task_group() {
    if (is_inside()) {
        std::fputs("weft::task_group: destroyed in one of its own tasks\n", stderr);
        std::terminate();
    }
    if (std::exception_ptr failed = join_all()) pool_->front().errors->report(std::move(failed));
}

void task_group::wait() {
    if (is_inside()) throw error{errc::would_deadlock, "weft::task_group::wait"};
    if (std::exception_ptr failed = join_all()) std::rethrow_exception(std::move(failed));
}

/// A task of the group runs on this very stack: only its tasks have its stop token.
bool task_group::is_inside() const noexcept {
    const detail::worker* caller = detail::worker::current();
    return caller != nullptr && caller->runs_task_of(stop_.get_token());
}

/// Includes room for the calls between this one and the join.
void task_group::require_stack() {
    constexpr std::size_t calls = 4096;
    if (const detail::worker* caller = detail::worker::current()) {
        caller->require_stack("weft::task_group::submit", calls);
    }
}

/// No task outlives its scope: one for which too little stack is left ends without being run.
void task_group::join(future<void>& member) {
    try {
        member.wait();
    } catch (const error& failed) {
        if (failed.code() != errc::stack_exhausted) throw;
        member.task_->end_unrun(errc::stack_exhausted);
    }
}

std::exception_ptr task_group::join_all() {
    std::exception_ptr first;
    while (detail::group_member* taken = members_.take_all()) {
        while (taken != nullptr) {
            const std::unique_ptr<detail::group_member> member{taken};
            taken = taken->next;
            try {
                join(member->result);
                member->result.get();
            } catch (const error& failed) {
                const bool expected = failed.code() == errc::cancelled && cancelled();
                if (!first && !expected) first = std::current_exception();
            } catch (...) {
                if (!first) first = std::current_exception();
            }
        }
    }
    return first;
}

} // namespace weft::inline v0
