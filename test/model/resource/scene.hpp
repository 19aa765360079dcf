// Tickets, resources and the threads that bring them together, for scenarios of the queue protocol.
#pragma once

#include "resource/lane.hpp"

#include <weft/detail/resource/resource_queue.hpp>
#include <weft/detail/resource/resource_task.hpp>
#include <weft/detail/resource/ticket.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread_local_value.hpp>
#include <weft/explorer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

namespace weft::test {

/// A resource with watched data: two users at once are reported, and so is a user that does not see
/// what the one before it did. It records the numbers of its writers in order.
struct watched {
    static constexpr std::uint32_t many = 4;
    static constexpr std::size_t most = 6;

    explicit watched(std::uint32_t capacity = many) : limit{capacity} {}

    detail::resource_word alone;
    detail::limit_word limit;
    sync::plain<int> data{0};
    std::array<int, most> order{}; // of the writers
    std::size_t count = 0;

    void write(int number) {
        data.modify() = number;
        order[count++] = number;
    }
    [[nodiscard]] bool idle() const { return alone.idle() && limit.idle(); }
};

/// How a task wants a resource.
struct want {
    watched* target;
    /// 0: exclusive; otherwise the number of credits of its limit, all of them to write.
    std::uint32_t weight = 0;
    [[nodiscard]] bool writes() const { return weight == 0 || weight == target->limit.capacity(); }
};
inline want alone(watched& target) { return {&target}; }
inline want reading(watched& target) { return {&target, 1}; }
inline want writing(watched& target) { return {&target, target.limit.capacity()}; }
inline want taking(watched& target, std::uint32_t weight) { return {&target, weight}; }

/// A ticket and its task, which uses all its resources; in one piece of memory, like those of a
/// pool.
class user {
public:
    /// The wants in any order; of several for one resource the strongest counts.
    static user& make(int number, std::initializer_list<want> wants);

    void submit(detail::lane& own) { ticket_->submit(own); }
    /// Counts its runs there too.
    void counted_by(sync::atomic<int>& runs) { runs_ = &runs; }
    void cancel() { cancelled_.store(true, sync::relaxed); }

    /// Runs what this thread has made ready, and what becomes ready by these runs.
    static void work();
    /// Takes one of them out, so that the caller decides when it runs.
    static user* take_ready() { return ready::take(); }
    void use();
    void leave();

    /// How many have ended.
    struct tally {
        sync::atomic<int> ended{0};
        sync::atomic<int> cancelled{0};
    };
    static inline thread_local tally* counts = nullptr; // of the scenario that is run

private:
    user(int number, std::size_t wants, detail::ticket& place)
        : number_{number}, count_{wants}, ticket_{&place} {
        place.subject = this;
    }

    struct ready {
        using value = sync::thread_local_value<ready, user*>;
        static void add(user& one) {
            one.next_ = value::get();
            value::set(&one);
        }
        static user* take() {
            user* first = value::get();
            if (first != nullptr) value::set(first->next_);
            return first;
        }
    };
    static user& user_of(detail::ticket& held) { return *static_cast<user*>(held.subject); }

    static constexpr std::size_t most_wants = 3;
    static const detail::ticket::kind kind;

    int number_;
    std::size_t count_;
    std::array<want, most_wants> wants_{};
    detail::ticket* ticket_;
    sync::atomic<bool> cancelled_{false};
    sync::atomic<int>* runs_ = nullptr;
    user* next_ = nullptr;
};

inline const detail::ticket::kind user::kind{
    .ready = [](detail::ticket& self, bool /*submitting*/) noexcept { ready::add(user_of(self)); },
    .cancelled =
        [](const detail::ticket& self) noexcept {
            return static_cast<const user*>(self.subject)->cancelled_.load(sync::relaxed);
        },
    .free =
        [](detail::ticket& self) noexcept {
            const auto layout = detail::resource_task_memory::layout<user>(self.entries().size());
            detail::free_resource_task(&self, layout.size, layout.alignment);
        },
};

inline user& user::make(int number, std::initializer_list<want> wants) {
    std::array<detail::claim, most_wants> claims{};
    std::size_t count = 0;
    for (const want& each : wants) {
        detail::resource_word& word = each.weight == 0 ? each.target->alone : each.target->limit;
        claims[count++] = {&word, each.weight};
    }
    const std::span<detail::claim> all{claims.data(), count};
    count = arrange(all);
    const auto layout = detail::resource_task_memory::layout<user>(count);
    void* memory = detail::allocate_resource_task(layout.size, layout.alignment);
    auto* place = ::new (memory) detail::ticket{kind, count};
    place->make_entries(all.first(count));
    void* behind = static_cast<std::byte*>(memory) + layout.offset;
    auto* made = ::new (behind) user{number, count, *place};
    std::size_t position = 0;
    for (const detail::claim& each : all.first(count)) {
        for (const want& one : wants) {
            const bool is_it = &one.target->alone == each.word || &one.target->limit == each.word;
            if (is_it && one.weight == each.weight) made->wants_[position] = one;
        }
        ++position;
    }
    return *made;
}

inline void user::use() {
    if (runs_ != nullptr) runs_->fetch_add(1, sync::relaxed);
    if (cancelled_.load(sync::relaxed)) {
        counts->cancelled.fetch_add(1, sync::relaxed);
        return;
    }
    for (std::size_t i = 0; i < count_; ++i) {
        if (wants_[i].writes()) wants_[i].target->write(number_);
        else static_cast<void>(wants_[i].target->data.read());
    }
}

inline void user::leave() {
    detail::ticket& place = *ticket_;
    place.release();
    counts->ended.fetch_add(1, sync::relaxed);
    std::destroy_at(this);
    place.forget();
}

inline void user::work() {
    while (user* next = take_ready()) {
        next->use();
        next->leave();
    }
}

/// A thread that submits these, one after the other, and runs what becomes ready.
template <class... Users>
void submit_and_work(Users&... users) {
    auto* own = sync::make<detail::lane>();
    (users.submit(*own), ...);
    user::work();
    if (own->abandon()) sync::destroy(own);
}

/// Two writers of both resources must have written to both in the same order.
inline void expect_one_order(const watched& one, const watched& other) {
    const auto place = [](const watched& target, int number) {
        for (std::size_t i = 0; i < target.count; ++i) {
            if (target.order[i] == number) return static_cast<int>(i);
        }
        return -1;
    };
    for (std::size_t i = 0; i < one.count; ++i) {
        for (std::size_t j = i + 1; j < one.count; ++j) {
            const int first = place(other, one.order[i]);
            const int second = place(other, one.order[j]);
            explorer::check(first < 0 || second < 0 || first < second,
                            "two tasks are in the same order in both queues");
        }
    }
}

/// `before` wrote before `after`.
inline void expect_before(const watched& target, int before, int after) {
    for (std::size_t i = 0; i < target.count; ++i) {
        if (target.order[i] == before) return;
        explorer::check(target.order[i] != after, "what was submitted first comes first");
    }
    explorer::check(false, "it has run");
}

} // namespace weft::test
