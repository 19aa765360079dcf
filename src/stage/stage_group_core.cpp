#include "stage/stage_group_core.hpp"

#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/error.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <utility>

namespace weft::inline v0::detail {

stage_group_core::stage_group_core(weft::pool* pool)
    : pool_{pool}, concurrency_{pool == nullptr ? 2 : pool->workers()},
      started_ticks_{sync::tick_counter::now()}, started_{sync::clock::now()} {
    if (pool_ != nullptr) pool_->attach(*this);
}

stage_group_core::~stage_group_core() {
    if (pool_ != nullptr) pool_->detach(*this);
    while (has_visitors()) sync::yield();
    for (std::size_t i = 0; i < size(); ++i) sync::destroy(&stage_at(i));
}

// The stages

std::pair<std::size_t, std::size_t> stage_group_core::place(std::size_t index) noexcept {
    const auto number = static_cast<std::size_t>(std::bit_width(index / first_segment));
    const std::size_t before = number == 0 ? 0 : first_segment << (number - 1);
    return {number, index - before};
}

stage_core& stage_group_core::stage_at(std::size_t index) const noexcept {
    const auto [number, offset] = place(index);
    return *segments_[number][offset].load(sync::relaxed); // published by whoever told the index
}

stage_core& stage_group_core::make_stage(stage_settings settings, stage_program& program) {
    const sync::lock_guard lock{making_};
    if (!free_.empty()) {
        stage_core& used = *free_.back();
        used.open(std::move(settings), program);
        free_.pop_back();
        return used;
    }
    const std::size_t index = size_.load(sync::relaxed);
    if (index == most_stages) throw error{errc::full, "weft::stage"};
    const auto [number, offset] = place(index);
    if (segments_[number] == nullptr) {
        const std::size_t cells = number == 0 ? first_segment : first_segment << (number - 1);
        segments_[number] = std::make_unique<sync::atomic<stage_core*>[]>(cells);
    }
    ready_.reserve(index + 1);
    free_.reserve(index + 1); // so that the end of a stage needs no memory
    auto* made = sync::make<stage_core>(*this, static_cast<std::uint32_t>(index));
    try {
        made->open(std::move(settings), program);
    } catch (...) {
        sync::destroy(made);
        throw;
    }
    segments_[number][offset].store(made, sync::relaxed);
    size_.store(index + 1, sync::release); // pairs with size() [NETWORK-4]
    return *made;
}

void stage_group_core::end_stage(stage_core& stage) noexcept {
    stage.await_runs();
    const sync::lock_guard lock{making_}; // for_each() looks whether it is open
    stage.end();
    free_.push_back(&stage);
}

// Workers

void stage_group_core::mark(std::uint32_t stage) noexcept { ready_.mark(stage); }

bool stage_group_core::try_run() noexcept { return has_work() && run_one(); }

void stage_group_core::raise_time(std::uint64_t lowest) noexcept {
    std::uint64_t now = time_.load(sync::relaxed);
    while (now < lowest &&
           !time_.compare_exchange_weak(now, lowest, sync::relaxed, sync::relaxed)) {
    }
}

/// Goes through the stages that are marked, from where the last worker has stopped, and runs the
/// first whose virtual time is not above the group's; if there is none, the one with the lowest.
bool stage_group_core::run_one() noexcept {
    const std::size_t count = size();
    const std::size_t start = cursor_.load(sync::relaxed);
    const std::uint64_t time = time_.load(sync::relaxed);
    std::size_t lowest = signal_tree::none;
    std::uint64_t lowest_time = std::numeric_limits<std::uint64_t>::max();
    for (const auto& [first, last] :
         {std::pair{start, count}, std::pair{std::size_t{0}, std::min(start, count)}}) {
        for (std::size_t i = first; (i = ready_.find(i, last)) != signal_tree::none; ++i) {
            stage_core& each = stage_at(i);
            if (!each.is_due()) {
                ready_.retire(i, [&each] { return each.is_due(); });
                continue;
            }
            const std::uint64_t its_time = each.virtual_time();
            if (its_time > time) {
                if (its_time < lowest_time) {
                    lowest_time = its_time;
                    lowest = i;
                }
                continue;
            }
            cursor_.store(i + 1, sync::relaxed);
            if (each.turn()) return true;
        }
    }
    if (lowest == signal_tree::none) return false;
    raise_time(lowest_time);
    cursor_.store(lowest + 1, sync::relaxed);
    return stage_at(lowest).turn();
}

void stage_group_core::pool_ended() noexcept {
    // release, pairs with has_pool_ended(): what the workers have left [NETWORK-5]
    ended_.store(true, sync::release);
    // Now runs that wait for room can be found in their own stages (stage_core::clear).
    for (std::size_t i = 0, count = size(); i < count; ++i) stage_at(i).note_pool_ended();
    settled_.store(true, sync::release); // pairs with is_settled() [NETWORK-7]
    note_idle();
}

// The end

bool stage_group_core::is_idle() const noexcept {
    const std::size_t count = size();
    std::uint64_t entered[2] = {};
    for (std::uint64_t& sum : entered) {
        for (std::size_t i = 0; i < count; ++i) {
            const stage_core& each = stage_at(i);
            const std::uint64_t ended = each.ended(); // first: it is never more than has entered
            const std::uint64_t entered_now = each.entered();
            if (entered_now != ended) return false;
            sum += entered_now;
        }
    }
    return entered[0] == entered[1]; // SG3
}

void stage_group_core::require_outside(const char* call) const {
    const worker* caller = worker::current();
    if (pool_ != nullptr && caller != nullptr && &caller->pool() == &pool_->front()) {
        throw error{errc::would_deadlock, call};
    }
}

void stage_group_core::wait(const char* call) {
    require_outside(call);
    while (!is_idle()) {
        if (is_settled()) throw error{errc::stopped, call};
        if (pool_ == nullptr) static_cast<void>(try_run());
        else quiet_.wait([this] { return is_idle() || is_settled(); });
    }
}

void stage_group_core::wait_for(const stage_core& stage) {
    const auto over = [&] { return stage.is_idle() || is_settled(); };
    while (!over()) {
        if (pool_ == nullptr) static_cast<void>(try_run());
        else quiet_.wait(over);
    }
}

void stage_group_core::stop(on_stop mode) {
    constexpr const char* call = "weft::stage_group::stop";
    require_outside(call);
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) stage_at(i).close(mode == on_stop::drain);
    wait(call);
}

double stage_group_core::nanoseconds_of_tick() const noexcept {
    const std::uint64_t passed = sync::tick_counter::now() - started_ticks_;
    const auto time = std::chrono::duration<double, std::nano>(sync::clock::now() - started_);
    if (passed == 0 || time.count() < 1e5) {
        return 1e3 / static_cast<double>(sync::tick_counter::in_microsecond);
    }
    return time.count() / static_cast<double>(passed);
}

} // namespace weft::inline v0::detail
