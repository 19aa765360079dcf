// Tasks that run when all their resources have admitted them.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/lockfree/registry.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/resource/ticket.hpp>
#include <weft/future.hpp>
#include <weft/priority.hpp>
#include <weft/when_options.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace weft::inline v0::detail {

/// The lane of the calling thread. Its first call may throw std::bad_alloc.
[[nodiscard]] WEFT_API lane& own_lane();
/// Lets a ticket without entries wait in the lane: it is ready when everything this thread has
/// submitted has entered its queues. False if that is so already.
[[nodiscard]] WEFT_API bool try_wait_in_own_lane(ticket& last) noexcept;

/// All tickets of this process that have not ended.
[[nodiscard]] registry& live_tickets() noexcept;
[[nodiscard]] WEFT_API registry_cell& reserve_cell();
WEFT_API void give_cell_back(registry_cell& cell) noexcept;

[[nodiscard]] WEFT_API void* allocate_resource_task(std::size_t size, std::size_t alignment);
WEFT_API void free_resource_task(void* memory, std::size_t size, std::size_t alignment) noexcept;

/// The pool that a task is submitted to: the one that was named, or that of the calling worker.
/// Throws `outside_pool` and `stopped`.
[[nodiscard]] WEFT_API pool_front& pool_for(weft::pool* named, const char* call);

/// A ticket, its entries and its task are one piece of memory, in this order. The task is destroyed
/// when its result is no longer wanted, the memory is freed when also no entry is used any more.
struct resource_task_memory {
    std::size_t offset; // of the task
    std::size_t size;
    std::size_t alignment;
    template <class Task>
    static constexpr resource_task_memory layout(std::size_t entries) noexcept {
        const std::size_t before = sizeof(ticket) + entries * sizeof(queue_entry);
        const std::size_t offset = (before + alignof(Task) - 1) / alignof(Task) * alignof(Task);
        return {offset, offset + sizeof(Task), std::max(alignof(ticket), alignof(Task))};
    }
};

/// Ends a task that was admitted but whose pool accepts no more tasks, as `not_run`. This may admit
/// further such tasks; they are ended one after the other, not recursively.
WEFT_API void end_not_run(ticket& admitted) noexcept;

/// A task with a ticket. `Derived::admitted` queues it when the resources have admitted it.
template <class T, class Derived>
class resource_task : public result_task<T> {
public:
    /// The claims are arranged.
    template <class... Arguments>
    static Derived& make(const task_home& home, std::span<const claim> claims,
                         const when_options& options, Arguments&&... arguments) {
        const resource_task_memory layout = resource_task_memory::layout<Derived>(claims.size());
        struct guard {
            resource_task_memory layout;
            registry_cell* cell = nullptr;
            void* memory = nullptr;
            ~guard() {
                if (cell != nullptr) give_cell_back(*cell);
                if (memory != nullptr) free_resource_task(memory, layout.size, layout.alignment);
            }
        } unmade{layout};
        unmade.cell = &reserve_cell();
        unmade.memory = allocate_resource_task(layout.size, layout.alignment);
        auto* own_ticket = ::new (unmade.memory) ticket{kind, claims.size()};
        own_ticket->make_entries(claims);
        own_ticket->name = options.name;
        own_ticket->registration = unmade.cell;
        void* behind = static_cast<std::byte*>(unmade.memory) + layout.offset;
        auto* made = ::new (behind)
            Derived{home, *own_ticket, options, std::forward<Arguments>(arguments)...};
        own_ticket->subject = static_cast<joinable_task*>(made);
        unmade.cell->object.store(own_ticket, sync::relaxed);
        unmade.cell = nullptr;
        unmade.memory = nullptr;
        return *made;
    }

    void enter(lane& own) noexcept { ticket_->submit(own); }

protected:
    // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): for both kinds of task that derive
    resource_task(const task_home& home, ticket& own_ticket, const when_options& options) noexcept
        : result_task<T>{home, completion_word::made_dormant{}}, ticket_{&own_ticket},
          stop_{options.stop}, priority_{options.priority} {}

    [[nodiscard]] bool stop_requested() const noexcept { return stop_.stop_requested(); }
    [[nodiscard]] const std::stop_token& stop() const noexcept { return stop_; }

    /// Queues `part`, which is this task or a part of it; ends this task as `not_run` if that is
    /// not possible.
    void queue(task& part, bool pool_is_alive) noexcept {
        ticket& own_ticket = *ticket_;
        if (!this->try_queue_dormant(part, priority_, pool_is_alive)) end_not_run(own_ticket);
    }
    /// The last step before the result is available. It removes the task from the reports first:
    /// once a task has begun, no earlier task is reported as having its resource.
    void leave_resources() noexcept {
        give_cell_back(*static_cast<registry_cell*>(ticket_->registration));
        ticket_->release();
    }
    void destroy() noexcept override {
        ticket& own_ticket = *ticket_;
        std::destroy_at(static_cast<Derived*>(this));
        own_ticket.forget();
    }

private:
    static Derived& task_of(const ticket& own_ticket) noexcept {
        return static_cast<Derived&>(*static_cast<joinable_task*>(own_ticket.subject));
    }
    static constexpr ticket::kind kind{
        .ready = [](ticket& self, bool submitting) noexcept { task_of(self).admitted(submitting); },
        .cancelled = [](const ticket& self) noexcept { return task_of(self).stop_requested(); },
        .free =
            [](ticket& self) noexcept {
                const auto layout = resource_task_memory::layout<Derived>(self.entries().size());
                free_resource_task(&self, layout.size, layout.alignment);
            },
    };

    ticket* const ticket_;
    const std::stop_token stop_;
    const weft::priority priority_;
};

/// A task on resources that calls its body.
template <class Body, class T = result_of<Body>>
class resource_call final : public resource_task<T, resource_call<Body, T>> {
    using base = resource_task<T, resource_call>;
    friend base;

public:
    template <class Source>
    resource_call(const task_home& home, ticket& own_ticket, const when_options& options,
                  Source&& body)
        : base{home, own_ticket, options}, body_{std::in_place, std::forward<Source>(body)} {}

private:
    void admitted(bool submitting) noexcept { this->queue(*this, submitting); }
    void execute(worker& caller) noexcept override {
        if (this->stop_requested()) {
            refuse(errc::cancelled, this->home().pool->errors);
            return;
        }
        {
            const worker::running now{caller, &this->stop()};
            this->run_and_keep(*body_);
        }
        body_.reset();
        this->leave_resources();
    }
    void refuse(errc reason, std::shared_ptr<const error_handler> report) noexcept override {
        this->refuse_closure(body_, reason, std::move(report));
        this->leave_resources();
    }

    std::optional<Body> body_; // until it was run or refused
};

} // namespace weft::inline v0::detail
