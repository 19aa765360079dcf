// Tickets, resources and the threads that bring them together, for scenarios of the queue protocol.
#pragma once

#include "resource/lane.hpp"

#include <weft/detail/resource/resource_queue.hpp>
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

/// A resource with data that is watched: two that use it at once are reported, and so is one who
/// does not see what the one before has done. It writes down who had it, in this order.
struct watched {
    static constexpr std::uint32_t many = 4;
    static constexpr std::size_t most = 6;

    explicit watched(std::uint32_t capacity = many) : limit{capacity} {}

    detail::resource_word alone;
    detail::limit_word limit;
    sync::plain<int> data{0};
    std::array<int, most> order{}; // of those who wrote
    std::size_t count = 0;

    void write(int who) {
        data.modify() = who;
        order[count++] = who;
    }
    [[nodiscard]] bool idle() const { return alone.idle() && limit.idle(); }
};

/// How a task wants a resource.
struct want {
    watched* what;
    /// 0: exclusively; otherwise so many credits of its limit, all of them to write.
    std::uint32_t weight = 0;
    [[nodiscard]] bool writes() const { return weight == 0 || weight == what->limit.capacity(); }
};
inline want alone(watched& what) { return {&what}; }
inline want reading(watched& what) { return {&what, 1}; }
inline want writing(watched& what) { return {&what, what.limit.capacity()}; }
inline want taking(watched& what, std::uint32_t weight) { return {&what, weight}; }

/// A ticket with what its task does: it uses all its resources.
class user {
public:
    /// The wants in any order; one of several for a resource counts, the strongest.
    static user& make(int who, std::initializer_list<want> wants);

    void submit(detail::lane& own) { ticket_->submit(own); }
    /// Counts its runs there too.
    void counted_by(sync::atomic<int>& runs) { runs_ = &runs; }
    void cancel() { cancelled_.store(true, sync::relaxed); }

    /// Runs what has become ready by this thread's doing, and what follows from that.
    static void work();
    /// Lets one of them wait for the next work(), to see others beside it.
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
    user(int who, std::size_t wants) : who_{who}, count_{wants} {}

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
    static user& of(detail::ticket& its) { return *static_cast<user*>(its.subject); }
    static void destroy(user& one);

    static constexpr std::size_t most_wants = 3;
    static const detail::ticket::kind kind;

    int who_;
    std::size_t count_;
    std::array<want, most_wants> wants_{};
    detail::ticket* ticket_ = nullptr;
    sync::atomic<bool> cancelled_{false};
    sync::atomic<int>* runs_ = nullptr;
    user* next_ = nullptr;
};

inline const detail::ticket::kind user::kind{
    .ready = [](detail::ticket& self, bool /*submitting*/) noexcept { ready::add(of(self)); },
    .cancelled =
        [](const detail::ticket& self) noexcept {
            return static_cast<const user*>(self.subject)->cancelled_.load(sync::relaxed);
        },
    .free =
        [](detail::ticket& self) noexcept {
            for (detail::queue_entry& each : self.entries()) std::destroy_at(&each);
            user& its = of(self);
            std::destroy_at(&self);
            destroy(its);
        },
};

inline user& user::make(int who, std::initializer_list<want> wants) {
    constexpr std::size_t ticket_size =
        sizeof(detail::ticket) + most_wants * sizeof(detail::queue_entry);
    std::array<detail::claim, most_wants> claims{};
    std::size_t count = 0;
    for (const want& each : wants) {
        detail::resource_word& word = each.weight == 0 ? each.what->alone : each.what->limit;
        claims[count++] = {&word, each.weight};
    }
    const std::span<detail::claim> all{claims.data(), count};
    count = arrange(all);
    void* memory = sync::allocate(sizeof(user) + ticket_size, 64);
    auto* made = ::new (memory) user{who, count};
    void* behind = static_cast<std::byte*>(memory) + sizeof(user);
    made->ticket_ = ::new (behind) detail::ticket{kind, count};
    made->ticket_->subject = made;
    made->ticket_->make_entries(all.first(count));
    std::size_t at = 0;
    for (const detail::claim& each : all.first(count)) {
        for (const want& one : wants) {
            const bool is_it = &one.what->alone == each.word || &one.what->limit == each.word;
            if (is_it && one.weight == each.weight) made->wants_[at] = one;
        }
        ++at;
    }
    return *made;
}

inline void user::destroy(user& one) {
    std::destroy_at(&one);
    sync::deallocate(&one, 64);
}

inline void user::use() {
    if (runs_ != nullptr) runs_->fetch_add(1, sync::relaxed);
    if (cancelled_.load(sync::relaxed)) {
        counts->cancelled.fetch_add(1, sync::relaxed);
        return;
    }
    for (std::size_t i = 0; i < count_; ++i) {
        if (wants_[i].writes()) wants_[i].what->write(who_);
        else static_cast<void>(wants_[i].what->data.read());
    }
}

inline void user::leave() {
    ticket_->release();
    counts->ended.fetch_add(1, sync::relaxed);
    ticket_->forget();
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

/// Who is before whom must be the same wherever both were.
inline void expect_one_order(const watched& one, const watched& other) {
    const auto place = [](const watched& where, int who) {
        for (std::size_t i = 0; i < where.count; ++i) {
            if (where.order[i] == who) return static_cast<int>(i);
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
inline void expect_before(const watched& where, int before, int after) {
    for (std::size_t i = 0; i < where.count; ++i) {
        if (where.order[i] == before) return;
        explorer::check(where.order[i] != after, "what was submitted first comes first");
    }
    explorer::check(false, "it has run");
}

} // namespace weft::test
