#include "real_run.hpp"

#include <weft/detail/pool/worker.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace weft::cli {

std::shared_ptr<const stealing_policy> real_policy(sim::policy policy) {
    switch (policy) {
    case sim::policy::random: return std::make_shared<random_stealing>();
    case sim::policy::half: return std::make_shared<half_stealing>();
    case sim::policy::multi: return std::make_shared<multi_stealing>();
    case sim::policy::mss: return std::make_shared<multi_stealing>(planning::when_one_is_idle);
    default: break;
    }
    throw std::invalid_argument{"the pool has no policy '" + std::string{sim::name_of(policy)} +
                                "'; it has random, half, multi and mss"};
}

void churn(std::uint64_t rounds) noexcept {
    std::uint64_t value = 88'172'645'463'325'252U;
    for (; rounds != 0; --rounds) {
        value ^= value << 13U;
        value ^= value >> 7U;
        value ^= value << 17U;
    }
    const volatile std::uint64_t kept = value; // keeps the loop from being optimised away
    static_cast<void>(kept);
}

namespace {

double cpu_now() noexcept {
    return std::chrono::duration<double, std::nano>(sync::thread_cpu_time()).count();
}

} // namespace

held_pool::held_pool(std::size_t workers, std::shared_ptr<const stealing_policy> policy)
    : ends_(workers),
      pool_{pool_options{
          .workers = workers, .stealing = std::move(policy), .on_end = [this](std::size_t worker) {
              ends_[worker].time = sync::clock::now();
              ends_[worker].cpu += cpu_now();
          }}} {}

void held_pool::hold() noexcept {
    arrived_.fetch_add(1, sync::relaxed);
    while (held_.load(sync::relaxed)) churn(32);
    arrived_.fetch_sub(1, sync::relaxed);
    note_begin();
}

void held_pool::note_begin() noexcept {
    ends_[detail::worker::current()->index()].cpu = -cpu_now();
}

held_pool::ending held_pool::finish() {
    pool_.stop();
    ending last{ends_.front().time, 0};
    for (const worker_end& each : ends_) {
        last.time = std::max(last.time, each.time);
        last.cpu += each.cpu;
    }
    return last;
}

void real_load::submit(const sim::task& one) {
    pool_->submit([this, one] { run(one); });
}

void real_load::run(const sim::task& one) {
    const auto length = static_cast<double>(load_->length(one));
    churn(static_cast<std::uint64_t>(length * rounds_per_nanosecond_));
    std::vector<sim::task>& made = made_[detail::worker::current()->index()];
    load_->children(one, made);
    for (const sim::task& each : made) submit(each);
}

double measure_speed(std::size_t workers) {
    constexpr std::uint64_t rounds = 200'000;
    constexpr int repeats = 9;
    held_pool some{workers, nullptr};
    std::vector<double> speeds;
    some.lead([&] {
        for (int each = 0; each != repeats; ++each) {
            const auto begin = sync::clock::now();
            churn(rounds);
            const std::chrono::duration<double, std::nano> taken = sync::clock::now() - begin;
            speeds.push_back(static_cast<double>(rounds) / taken.count());
        }
        some.release();
    });
    std::ranges::nth_element(speeds, speeds.begin() + repeats / 2);
    return speeds[repeats / 2];
}

real_time run_for_real(const sim::load& load, std::size_t workers, sim::policy policy,
                       double rounds_per_nanosecond) {
    held_pool some{workers, real_policy(policy)};
    real_load real{load, some.workers(), rounds_per_nanosecond};
    sync::clock::time_point begin;
    some.lead([&] {
        for (const sim::task& each : load.first_tasks(0, workers)) real.submit(each);
        begin = sync::clock::now();
        some.release();
    });
    const held_pool::ending end = some.finish();
    const std::chrono::duration<double, std::nano> taken = end.time - begin;
    return {taken.count(), end.cpu / static_cast<double>(workers)};
}

} // namespace weft::cli
