#include "cluster/rank_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

namespace weft::inline v0::detail {

namespace {

// Times are in seconds. A look at the messages costs 0.2 to 0.5 microseconds: at most 6 % at the
// lively interval, which is used while other ranks want tasks, and then every answer that comes
// early is worth more.
constexpr double lively_interval = 8e-6;
constexpr double quiet_interval = 20e-6;
constexpr double longest_turn = 1e-3; // until a worker looks for other work of its pool
constexpr unsigned most_tasks = 256;  // between two looks

double seconds_of(std::chrono::milliseconds time) {
    return std::chrono::duration<double>{time}.count();
}

/// The messages themselves cannot be sent: there is no way to tell the other ranks, but that MPI
/// ends the job.
[[noreturn]] void end_job(const char* text) {
    std::fprintf(stderr, "weft::cluster: cannot talk to the other ranks: %s\n", text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::terminate();
}

} // namespace

rank_run::rank_run(mpi_network& messages, task_store& tasks, pool* workers, std::size_t seats,
                   const cluster_run_options& options)
    : messages_{&messages}, tasks_{&tasks}, pool_{workers}, options_{&options},
      exchange_{messages, tasks, options.balancing}, paces_(seats) {
    const double now = messages.now();
    next_progress_ = now + seconds_of(options.progress_every);
    next_checkpoint_ = now + seconds_of(options.every);
    if (pool_ == nullptr) return;
    pool_->attach(*this);
    pool_->notify();
}

rank_run::~rank_run() {
    if (pool_ != nullptr) pool_->detach(*this);
}

bool rank_run::try_run() noexcept {
    if (is_over_.load(sync::relaxed) || !tasks_->run_some(*this)) return false;
    if (tasks_->is_passive() || tasks_->has_failed()) messages_->sleeper().wake();
    return true;
}

worker_guide::advice rank_run::between_tasks(std::size_t seat) noexcept {
    pace& own = paces_[seat];
    const double now = messages_->now();
    const double interval = is_lively_.load(sync::relaxed) ? lively_interval : quiet_interval;
    const double elapsed = now - own.asked;
    if (elapsed < interval / 2) own.tasks = std::min(2 * own.tasks, most_tasks);
    else if (elapsed > 2 * interval) own.tasks = std::max(own.tasks / 2, 1U);
    // Long tasks after many short ones: each is followed by a look.
    if (elapsed > 100 * interval) own.tasks = 1;
    own.asked = now;
    if (now - own.began > 2 * longest_turn) own.began = now;
    const bool has_ended = try_step(seat, now, interval / 2);
    const bool ends = has_ended || now - own.began > longest_turn;
    if (ends) own.began = now;
    return {.tasks = own.tasks, .ends = ends};
}

void rank_run::notify() noexcept {
    if (pool_ != nullptr) pool_->notify();
}

/// True if the run is over, or pauses.
bool rank_run::try_step(std::size_t seat, double now, double least) noexcept {
    if (is_over_.load(sync::relaxed)) return true;
    if (!talking_.try_lock()) return false;
    if (!has_verdict_ && now - stepped_ >= least) {
        stepped_ = now;
        step(seat);
    }
    talking_.unlock();
    return is_over_.load(sync::relaxed);
}

void rank_run::step(std::size_t seat) noexcept {
    try {
        exchange_.step(seat);
    } catch (const std::exception& wrong) {
        end_job(wrong.what());
    } catch (...) {
        end_job("an exception that is no std::exception");
    }
    is_lively_.store(exchange_.is_lively(), sync::relaxed);
    if (exchange_.outcome() != verdict::go_on) {
        has_verdict_ = true;
        is_over_.store(true, sync::relaxed);
        messages_->sleeper().wake();
    } else if (tasks_->has_work()) {
        notify();
    }
}

verdict rank_run::work() {
    patience waiting{messages_->sleeper()};
    for (;;) {
        if (pool_ == nullptr) static_cast<void>(try_run());
        if (talking_.try_lock()) {
            const double now = messages_->now();
            if (!has_verdict_) {
                keep_time(now);
                stepped_ = now;
                step(task_store::no_seat);
            }
            talking_.unlock();
        }
        // The flag is enough: nothing that belongs to it is read before the workers have returned.
        if (is_over_.load(sync::relaxed)) break;
        nap(waiting);
    }
    // The last step may have been that of a worker; to get the right to talk is to see it.
    while (!talking_.try_lock()) waiting.nap();
    const verdict outcome = exchange_.outcome();
    talking_.unlock();
    return outcome;
}

/// While workers compute they also look for messages, so that this thread is only needed when a
/// single task takes long.
void rank_run::nap(patience& waiting) {
    const bool passive = tasks_->is_passive();
    if (!passive || is_lively_.load(sync::relaxed)) waiting.reset();
    if (!passive && pool_ == nullptr) return;
    if (passive) waiting.nap();
    else messages_->sleeper().nap(longest_turn);
}

/// On rank 0: rounds that no rank has asked for.
void rank_run::keep_time(double now) {
    if (messages_->rank() != 0) return;
    if (options_->progress) {
        if (now >= next_progress_) {
            next_progress_ = now + seconds_of(options_->progress_every);
            progress_round_ = exchange_.round_count() + 1;
            exchange_.force_round(verdict::go_on);
        } else if (progress_round_ != 0 && exchange_.round_count() >= progress_round_) {
            progress_round_ = 0;
            options_->progress({exchange_.done()});
        }
    }
    if (!options_->checkpoint.empty() && now >= next_checkpoint_) {
        next_checkpoint_ = now + seconds_of(options_->every);
        exchange_.force_round(verdict::pause);
    }
}

void rank_run::rest() {
    is_over_.store(true, sync::relaxed);
    patience waiting{messages_->sleeper()};
    while (!tasks_->try_pause()) waiting.nap();
    // No worker is in a seat, but one may just be leaving the right to talk.
    waiting.reset();
    while (!talking_.try_lock()) waiting.nap();
    messages_->settle([this](const message& arrived) { exchange_.drain(arrived); });
    talking_.unlock();
}

void rank_run::go_on() {
    patience waiting{messages_->sleeper()};
    while (!talking_.try_lock()) waiting.nap();
    exchange_.go_on();
    has_verdict_ = false;
    is_over_.store(false, sync::relaxed);
    next_checkpoint_ = messages_->now() + seconds_of(options_->every);
    talking_.unlock();
    tasks_->resume();
    notify();
}

} // namespace weft::inline v0::detail
