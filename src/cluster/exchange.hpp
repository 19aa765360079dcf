// What a rank says to the others while it works.
#pragma once

#include "cluster/balancing.hpp"
#include "cluster/network.hpp"
#include "cluster/rounds.hpp"

#include <weft/cluster_options.hpp>
#include <weft/detail/cluster/task_store.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace weft::inline v0::detail {

/// Receives, decides and sends, for one run on one rank. One thread at a time calls it.
///
/// | operation | does                                                                    |
/// |-----------|-------------------------------------------------------------------------|
/// | step      | handles what has arrived, and sends what is due                          |
/// | drain     | handles one message after a verdict: tasks are kept, the rest is dropped |
/// | go_on     | after a pause                                                           |
///
/// Invariants
///  E1  A message with tasks is counted as sent before it leaves, and as received when its tasks
///  are
///      in the store; a cut comes between such steps. That is what the proof of termination needs.
///  E2  After a verdict other than go_on no task is sent.
class exchange {
public:
    exchange(network& messages, task_store& tasks, balancing policy);

    void step(std::size_t seat);
    void drain(const message& arrived);
    void go_on();

    [[nodiscard]] verdict outcome() const noexcept { return outcome_; }
    /// The rank whose task has failed.
    [[nodiscard]] int failed() const noexcept { return failed_; }
    /// A failure of this rank outside its tasks, such as a task that cannot be read.
    [[nodiscard]] std::exception_ptr failure() const noexcept { return failure_; }
    /// Something happened lately: the next step should come soon.
    [[nodiscard]] bool is_lively() const noexcept { return messages_->now() < lively_until_; }

    /// The root: a round begins soon, with this outcome.
    void force_round(verdict outcome) noexcept { rounds_.force_next(outcome); }
    [[nodiscard]] const std::vector<std::uint64_t>& done() const noexcept { return rounds_.done(); }
    [[nodiscard]] std::uint64_t round_count() const noexcept { return rounds_.count(); }

private:
    void handle(const message& arrived);
    void keep_tasks(const message& arrived);
    void carry_out(std::size_t seat);
    bool carry_out(order& given, std::size_t seat);
    void conclude(const conclusion& found);
    void stay_lively() noexcept { lively_until_ = messages_->now() + lively_time; }
    [[nodiscard]] round_wish wish() const;
    [[nodiscard]] rank_state cut() const;

    static constexpr double lively_time = 200e-6;
    static constexpr double shortest_pause = 20e-6; // between rounds
    static constexpr double longest_pause = 1e-3;
    static constexpr std::size_t largest_message = std::size_t{1} << 20; // about
    static constexpr std::size_t tasks_at_once = 64;

    network* messages_;
    task_store* tasks_;
    std::unique_ptr<balancer> balancer_;
    rounds rounds_;
    std::vector<order> orders_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    verdict outcome_ = verdict::go_on;
    int failed_ = -1;
    std::exception_ptr failure_;
    double pause_ = shortest_pause;
    double lively_until_ = 0;
    message arrived_; // kept for its memory
};

} // namespace weft::inline v0::detail
