// An item of a stage, and a push that waits for room.
#pragma once

#include <weft/detail/sync/clock.hpp>
#include <weft/priority.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace weft::inline v0::detail {

/// A push that has put its item into a full queue, and waits until there is room for it: a run of a
/// stage, or an operation.
struct waiting_push {
    /// There is room, or its item leaves the queue; or, if `ended`, the pool was stopped, and there
    /// will be none. Called once for each item, inside the section of the stage that was full;
    /// calls no user code. False if the item is not wanted any more.
    bool (*admitted)(waiting_push& self, bool ended) noexcept = nullptr;
};

/// An item in the queue of a stage; its type is known to the program of the stage.
struct stage_node {
    stage_node* next = nullptr;        // of the arrivals, and then of the queue
    stage_node* next_owing = nullptr;  // of the items that have no room yet
    waiting_push* pushed_by = nullptr; // if that push waits for room
    std::uint64_t entered = 0;         // ticks, when it was pushed
    sync::clock::time_point deadline = sync::clock::time_point::max();
    std::uint64_t key = 0;      // if the stage orders by keys
    std::uint32_t attempts = 0; // that have failed
    weft::priority level = weft::priority::normal;
    bool unwanted = false;   // its push was cancelled
    bool holds_lane = false; // no other item of its key's lane is in the queue or runs
};

/// Items, the oldest first, linked by one of their links.
template <stage_node* stage_node::* Link>
class basic_node_list {
public:
    basic_node_list() noexcept = default;
    basic_node_list(const basic_node_list&) = delete;
    basic_node_list& operator=(const basic_node_list&) = delete;
    basic_node_list(basic_node_list&& other) noexcept
        : first_{std::exchange(other.first_, nullptr)}, last_{std::exchange(other.last_, nullptr)},
          size_{std::exchange(other.size_, 0)} {}
    basic_node_list& operator=(basic_node_list&& other) noexcept {
        first_ = std::exchange(other.first_, nullptr);
        last_ = std::exchange(other.last_, nullptr);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }
    ~basic_node_list() = default;

    void push_back(stage_node& node) noexcept {
        node.*Link = nullptr;
        if (last_ == nullptr) first_ = &node;
        else last_->*Link = &node;
        last_ = &node;
        ++size_;
    }
    void push_front(stage_node& node) noexcept {
        node.*Link = first_;
        if (last_ == nullptr) last_ = &node;
        first_ = &node;
        ++size_;
    }
    /// Null if it is empty.
    stage_node* pop_front() noexcept {
        stage_node* taken = first_;
        if (taken == nullptr) return nullptr;
        first_ = taken->*Link;
        if (first_ == nullptr) last_ = nullptr;
        --size_;
        return taken;
    }
    [[nodiscard]] stage_node* front() const noexcept { return first_; }
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    stage_node* first_ = nullptr;
    stage_node* last_ = nullptr;
    std::size_t size_ = 0;
};
using node_list = basic_node_list<&stage_node::next>;
using owing_list = basic_node_list<&stage_node::next_owing>;

} // namespace weft::inline v0::detail
