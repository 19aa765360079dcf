// The biases of a pool's workers in a group.
#pragma once

#include "lockfree/latest_value.hpp"

#include <weft/error.hpp>
#include <weft/selection_bias.hpp>

#include <cstddef>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

namespace weft::inline v0::detail {

/// The bias of a thread in a group: that of its call, or that of a worker.
class thread_bias {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): the bias of a call
    thread_bias(const selection_bias& fixed) noexcept : fixed_{&fixed} {}
    // NOLINTNEXTLINE(google-explicit-constructor): the bias of a worker
    thread_bias(latest_value<selection_bias>& of_worker) noexcept : of_worker_{&of_worker} {}
    /// The bias of the next visit.
    [[nodiscard]] const selection_bias& next() const noexcept {
        return of_worker_ != nullptr ? of_worker_->owner_get() : *fixed_;
    }

private:
    const selection_bias* fixed_ = nullptr;
    latest_value<selection_bias>* of_worker_ = nullptr;
};

/// A bias for each worker. Any thread changes them; a worker reads its own before each visit. Extra
/// threads of the pool have none: they are fair.
class worker_biases {
public:
    static constexpr std::size_t no_worker = std::numeric_limits<std::size_t>::max();

    /// Those beyond `given` are fair. Throws `errc::invalid_argument` if there are more than
    /// workers, or std::bad_alloc.
    worker_biases(std::size_t workers, const std::vector<selection_bias>& given) {
        if (given.size() > workers) throw error{errc::invalid_argument, "weft::contract_group"};
        for (const selection_bias& each : given) biases_.emplace_back(each);
        while (biases_.size() < workers) biases_.emplace_back();
    }

    /// Throws `errc::invalid_argument` if there is no such worker, or std::bad_alloc.
    void set(std::size_t worker, selection_bias bias) {
        if (worker >= biases_.size()) {
            throw error{errc::invalid_argument, "weft::contract_group::set_worker_bias"};
        }
        biases_[worker].value.give(std::move(bias));
    }
    /// For the worker of this number.
    [[nodiscard]] thread_bias of_worker(std::size_t worker) noexcept {
        if (worker >= biases_.size()) return fair_;
        return biases_[worker].value;
    }

private:
    struct alignas(64) cell { // of one worker
        explicit cell(selection_bias first = {}) : value{std::move(first)} {}
        latest_value<selection_bias> value;
    };
    std::deque<cell> biases_; // cells do not move
    const selection_bias fair_{};
};

} // namespace weft::inline v0::detail
