// A task that starts something which calls back, and goes on with the same resources.
#pragma once

#include <weft/completion.hpp>
#include <weft/detail/resource/completion_task.hpp>
#include <weft/detail/resource/resource_task.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace weft::inline v0::detail {

/// Has two parts, each a task in a queue. The first is queued when the resources have admitted it and calls
/// `begin`; the second when the first has ended and the completion was completed, whichever is later, and
/// calls `next`. The resources are passed on after that.
template <class T, class Begin, class Next>
class holding_task final
    : public resource_task<std::invoke_result_t<Next&, future<T>>, holding_task<T, Begin, Next>> {
public:
    using result = std::invoke_result_t<Next&, future<T>>;

private:
    using base = resource_task<result, holding_task>;
    friend base;

public:
    holding_task(const task_home& home, ticket& its, const when_options& options, Begin&& start,
                 Next&& go_on)
        : base{home, its, options}, first_{*this}, begun_{begun_kind, 0}, completed_{*this},
          begin_{std::in_place, std::move(start)}, next_{std::in_place, std::move(go_on)},
          promised_{*home.pool}, outcome_{promised_.get_future()} {
        begun_.subject = this;
    }

private:
    struct first_part : task {
        holding_task* whole;
        explicit first_part(holding_task& of) noexcept : task{.run = &run_first}, whole{&of} {}
    };
    struct told : completion_node {
        holding_task* whole;
        explicit told(holding_task& of) noexcept : completion_node{.tell = &arrived}, whole{&of} {}
        static void arrived(completion_node& self) noexcept {
            static_cast<told&>(self).whole->arrive();
        }
    };

    void admitted(bool submitting) noexcept { this->queue(first_, submitting); }

    static void run_first(task& self, worker& here) noexcept {
        holding_task& whole = *static_cast<first_part&>(self).whole;
        const bool cancelled = whole.stop_requested();
        if (cancelled || whole.home().pool->cancelling()) {
            whole.not_begun_ = cancelled ? errc::cancelled : errc::not_run;
            whole.queue(whole, true);
            return;
        }
        static_cast<void>(whole.promised_.task_->word.try_add(whole.completed_)); // it is not done
        try {
            const worker::running now{here, &whole.stop()};
            (*whole.begin_)(std::move(whole.promised_));
        } catch (...) {
            whole.failed_ = std::current_exception();
        }
        whole.begin_.reset();
        // What it has submitted comes before what the second part submits, on another worker perhaps.
        if (!try_wait_in_own_lane(whole.begun_)) whole.arrive();
    }

    /// The last of two queues the second part.
    void arrive() noexcept {
        // release for what came before, acquire for the last to have it all [HOLD-1]
        if (parts_.fetch_sub(1, sync::acq_rel) == 1) this->queue(*this, false);
    }

    void execute(worker& here) noexcept override {
        if (not_begun_) {
            refuse(*not_begun_, this->home().pool->errors);
            return;
        }
        if (failed_) {
            this->fail(std::move(failed_), this->home().pool->errors);
        } else {
            const worker::running now{here, &this->stop()};
            auto call = [this]() -> decltype(auto) {
                return std::invoke(*next_, std::move(outcome_));
            };
            this->run_and_keep(call);
        }
        end();
    }
    void refuse(errc why, std::shared_ptr<const error_handler> report) noexcept override {
        base::refuse(why, std::move(report));
        end();
    }
    void end() noexcept {
        begin_.reset();
        next_.reset();
        forget_outcome();
        this->leave_resources();
    }
    /// Unless `next` has taken it, nobody is to hear of what became of the completion.
    void forget_outcome() noexcept {
        if (promised_.valid()) std::exchange(promised_.task_, nullptr)->break_off_quietly();
        if (!outcome_.valid()) return;
        try {
            static_cast<void>(
                outcome_.get()); // it is ready: the second part was queued, or never will
        } catch (...) {          // NOLINT(bugprone-empty-catch): as said
        }
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
    told completed_;
    std::optional<Begin> begin_;
    std::optional<Next> next_;
    // Behind what may throw when it is moved: then nothing was promised.
    completion<T> promised_;
    future<T> outcome_;
    std::exception_ptr failed_;
    std::optional<errc> not_begun_;
    sync::atomic<int> parts_{2};
};

} // namespace weft::inline v0::detail
