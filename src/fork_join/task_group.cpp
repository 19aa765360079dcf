#include <weft/error.hpp>
#include <weft/task_group.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

namespace weft::inline v0 {

task_group::task_group() : pool_{pool::current()} {
    if (pool_ == nullptr) throw error{errc::outside_pool, "weft::task_group"};
}

task_group::task_group(pool& where) : pool_{&where} {}

task_group::~task_group() {
    if (std::exception_ptr failed = join_all()) pool_->front().errors->report(std::move(failed));
    if (!members_.empty()) {
        std::fputs("weft::task_group: it ends in one of its own tasks\n", stderr);
        std::terminate();
    }
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
}

std::exception_ptr task_group::join_all() {
    std::exception_ptr first;
    detail::inbox<detail::group_member> unjoined;
    while (detail::group_member* taken = members_.take_all()) {
        while (taken != nullptr) {
            std::unique_ptr<detail::group_member> member{taken};
            taken = taken->next;
            try {
                join(member->result);
                member->result.get();
            } catch (const error& failed) {
                const bool ours = failed.code() == errc::cancelled && cancelled();
                if (!first && !ours) first = std::current_exception();
            } catch (...) {
                if (!first) first = std::current_exception();
            }
            // Waiting would never have ended: it is still a task of the group.
            if (member->result.valid()) unjoined.push(member.release());
        }
    }
    for (detail::group_member* each = unjoined.take_all(); each != nullptr;) {
        detail::group_member* after = each->next;
        members_.push(each);
        each = after;
    }
    return first;
}

} // namespace weft::inline v0
