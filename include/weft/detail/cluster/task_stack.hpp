// The tasks of one seat.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace weft::inline v0::detail {

/// Tasks in one piece of memory: the newest are run first, the oldest are given away.
template <class Task>
class task_stack {
public:
    [[nodiscard]] std::size_t size() const noexcept { return tasks_.size() - first_; }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }

    void push(Task&& task) { tasks_.push_back(std::move(task)); }
    [[nodiscard]] Task pop() {
        Task newest = std::move(tasks_.back());
        tasks_.pop_back();
        if (empty()) clear();
        return newest;
    }
    /// `receive(task)` gets the oldest ones, `count` at most. If it throws, that task and the later
    /// ones are still here.
    template <class Receive>
    std::size_t take_oldest(std::size_t count, Receive receive) {
        std::size_t taken = 0;
        for (; taken != count && !empty(); ++taken) {
            receive(std::move(tasks_[first_]));
            ++first_;
        }
        if (empty()) clear();
        else if (first_ > tasks_.size() / 2) compact();
        return taken;
    }
    /// `visit(task)` for each, the oldest first.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t i = first_; i != tasks_.size(); ++i) visit(tasks_[i]);
    }
    void clear() noexcept {
        tasks_.clear();
        first_ = 0;
    }

private:
    void compact() {
        tasks_.erase(tasks_.begin(), tasks_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
    }

    std::vector<Task> tasks_;
    std::size_t first_ = 0; // those before it were given away
};

} // namespace weft::inline v0::detail
