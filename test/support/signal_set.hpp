// Signals as contracts use them: a mark in the tree points to something that is due elsewhere.
#pragma once

#include <weft/detail/lockfree/mark_tree.hpp>

#include <weft/detail/sync/atomic.hpp>

#include <cstddef>
#include <memory>
#include <optional>

namespace weft::test {

/// A set of numbers. What is in it is known by a flag for each number; the tree only has the marks.
class signal_set {
public:
    /// Numbers below `count`; the tree has room for `first` of them.
    signal_set(std::size_t count, std::size_t first)
        : tree{first}, due_{std::make_unique<sync::atomic<bool>[]>(count)} {}
    explicit signal_set(std::size_t count) : signal_set(count, count) {}

    /// True if it was not in the set.
    bool set(std::size_t signal) {
        const bool is_new = !due_[signal].exchange(true, sync::acq_rel);
        tree.mark(signal);
        return is_new;
    }
    /// True if it was in the set.
    bool take(std::size_t signal) {
        if (!due_[signal].exchange(false, sync::acq_rel)) return false;
        retire(signal);
        return true;
    }
    /// Takes the first at or after `start`, wrapping at the end.
    std::optional<std::size_t> take_first(std::size_t start = 0) {
        for (std::size_t signal = start; (signal = tree.find(signal, none)) != none; ++signal) {
            if (take(signal)) return signal;
            retire(signal);
        }
        for (std::size_t signal = 0; (signal = tree.find(signal, start)) != none; ++signal) {
            if (take(signal)) return signal;
            retire(signal);
        }
        return std::nullopt;
    }
    /// Withdraws the mark unless the number is in the set.
    bool retire(std::size_t signal) {
        return tree.retire(signal, [this, signal] { return due_[signal].load(sync::acquire); });
    }

    detail::mark_tree tree;

private:
    static constexpr std::size_t none = detail::mark_tree::none;
    std::unique_ptr<sync::atomic<bool>[]> due_;
};

} // namespace weft::test
