// A task that starts an operation which calls back, and continues with the same resources.
#pragma once

#include <weft/completion.hpp>
#include <weft/detail/resource/arrival_pair.hpp>
#include <weft/detail/resource/completion_task.hpp>
#include <weft/detail/resource/resource_task.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace weft::inline v0::detail {

/// Has two parts, each of which is queued as a task. The first is queued when the resources have
/// admitted it, and calls `begin`; the second when the first has ended and the completion was
/// completed, whichever is later, and calls `next`. Then the resources are passed on.
template <class T, class Begin, class Next>
class holding_task final
    : public resource_task<std::invoke_result_t<Next&, future<T>>, holding_task<T, Begin, Next>> {
public:
    using result = std::invoke_result_t<Next&, future<T>>;

private:
    using base = resource_task<result, holding_task>;
    friend base;

public:
    holding_task(const task_home& home, ticket& own_ticket, const when_options& options,
                 Begin&& start, Next&& resume)
        : base{home, own_ticket, options}, first_{*this}, begun_{begun_kind, 0}, completed_{*this},
          begin_{std::in_place, std::move(start)}, next_{std::in_place, std::move(resume)},
          promised_{*home.pool}, outcome_{promised_.get_future()} {
        begun_.subject = this;
    }

private:
    struct first_part : task {
        holding_task* whole;
        explicit first_part(holding_task& owner) noexcept
            : task{.run = &run_first}, whole{&owner} {}
    };
    struct completed_node : completion_node {
        holding_task* whole;
        explicit completed_node(holding_task& owner) noexcept
            : completion_node{.notify = &arrived}, whole{&owner} {}
        static void arrived(completion_node& self) noexcept {
            static_cast<completed_node&>(self).whole->arrive();
        }
    };

    void admitted(bool submitting) noexcept { this->queue(first_, submitting); }

    static void run_first(task& self, worker& caller) noexcept {
        holding_task& whole = *static_cast<first_part&>(self).whole;
        const bool cancelled = whole.stop_requested();
        if (cancelled || whole.home().pool->cancelling()) {
            whole.not_begun_ = cancelled ? errc::cancelled : errc::not_run;
            whole.queue(whole, true);
            return;
        }
        static_cast<void>(whole.promised_.task_->word.try_add(whole.completed_)); // it is not done
        try {
            const worker::running now{caller, &whole.stop()};
            (*whole.begin_)(std::move(whole.promised_));
        } catch (...) {
            whole.failed_ = std::current_exception();
        }
        whole.begin_.reset();
        // What the first part has submitted comes before what the second part submits, which may
        // run on another worker.
        if (!try_wait_in_own_lane(whole.begun_)) whole.arrive();
    }

    /// Called at the end of the first part, and by the completion: the later call queues the second
    /// part.
    void arrive() noexcept {
        if (arrivals_.arrive()) this->queue(*this, false);
    }

    void execute(worker& caller) noexcept override {
        if (not_begun_) {
            refuse(*not_begun_, this->home().pool->errors);
            return;
        }
        if (failed_) {
            this->fail(std::move(failed_), this->home().pool->errors);
            const failure_collection ignored; // the outcome was for `next` alone
            drop_outcome();
        } else {
            const worker::running now{caller, &this->stop()};
            auto call = [this]() -> decltype(auto) {
                return std::invoke(*next_, std::move(outcome_));
            };
            this->run_and_keep(call);
        }
        drop_callables();
        this->leave_resources();
    }
    /// What `next` was to receive is the cause, or else the failure of a future that the callables
    /// own.
    void refuse(errc reason, std::shared_ptr<const error_handler> report) noexcept override {
        {
            const failure_collection causes;
            drop_outcome();
            drop_callables();
            if (report == nullptr) report = causes.handler();
            this->fail(make_error(reason, "weft::future", causes.first()), std::move(report));
        }
        this->leave_resources();
    }
    /// It is ready: the second part was queued, or never will be.
    void drop_outcome() noexcept {
        if (promised_.valid()) std::exchange(promised_.task_, nullptr)->break_off_quietly();
        outcome_ = {};
    }
    void drop_callables() noexcept {
        begin_.reset();
        next_.reset();
    }

    static constexpr ticket::kind begun_kind{
        .ready =
            [](ticket& self, bool /*submitting*/) noexcept {
                static_cast<holding_task*>(self.subject)->arrive();
            },
        .cancelled = [](const ticket& /*self*/) noexcept { return false; },
        .free = [](ticket& /*self*/) noexcept {},
    };

    first_part first_;
    ticket begun_; // the end of the first part, in the lane of its worker
    completed_node completed_;
    std::optional<Begin> begin_;
    std::optional<Next> next_;
    // After the members whose move may throw: then nothing was promised.
    completion<T> promised_;
    future<T> outcome_;
    std::exception_ptr failed_;
    std::optional<errc> not_begun_;
    arrival_pair arrivals_;
};

} // namespace weft::inline v0::detail
