// Loops as problems: a task is a range, which is halved down to a grain.
#pragma once

#include <weft/cluster_problem.hpp>

#include <cstdint>
#include <utility>

namespace weft::inline v0::detail {

struct index_block {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

/// Leaves the first part in `range` and adds the halves behind it, down to the grain.
inline void divide(index_block& range, std::int64_t grain, bag<index_block>& more) {
    while (range.last - range.first > grain) {
        const std::int64_t middle = range.first + (range.last - range.first) / 2;
        more.add({middle, range.last});
        range.last = middle;
    }
}

template <class Body>
struct loop_problem {
    using task = index_block;
    struct result {
        result& operator+=(const result& /*other*/) noexcept { return *this; }
    };

    void work(task range, bag<task>& more, result& /*none*/) const {
        divide(range, grain, more);
        for (std::int64_t i = range.first; i < range.last; ++i) (*body)(i);
    }

    const Body* body;
    std::int64_t grain;
};

template <class T, class Combine, class Transform>
struct reduction_problem {
    using task = index_block;
    struct result {
        T value{};
        bool has_value = false; // T need not have a neutral value
        template <class Archive>
        void serialize(Archive& archive) {
            archive(value, has_value);
        }
    };

    void work(task range, bag<task>& more, result& partial) const {
        divide(range, grain, more);
        for (std::int64_t i = range.first; i < range.last; ++i) {
            add(partial, static_cast<T>((*transform)(i)));
        }
    }
    void combine(result& total, const result& part) const {
        if (part.has_value) add(total, T{part.value});
    }

    const Combine* combine_values;
    const Transform* transform;
    std::int64_t grain;

private:
    void add(result& total, T&& value) const {
        if (total.has_value)
            total.value = (*combine_values)(std::move(total.value), std::move(value));
        else total = {std::move(value), true};
    }
};

} // namespace weft::inline v0::detail
