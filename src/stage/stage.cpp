#include "stage/stage_group_core.hpp"

#include <weft/detail/pool/worker.hpp>
#include <weft/error.hpp>
#include <weft/stage.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

namespace weft::inline v0 {

namespace {

constexpr std::size_t most_capacity = std::size_t{1} << 30;
constexpr std::size_t most_workers = 65'535;
constexpr std::size_t most_share = 1'000;
constexpr std::size_t most_batch = std::size_t{1} << 20;

std::uint32_t within(std::size_t value, std::size_t most, const char* call) {
    if (value == 0 || value > most) throw error{errc::invalid_argument, call};
    return static_cast<std::uint32_t>(value);
}

std::chrono::nanoseconds rounded(double nanoseconds) {
    return std::chrono::nanoseconds{std::llround(nanoseconds)};
}

stage_latency latency_of(const detail::stage_group_core& group,
                         const detail::latency_histogram& seen) {
    const double tick = group.nanoseconds_of_tick(); // the same for all, so that they compare
    const std::uint64_t longest = seen.longest();
    const auto within_longest = [&](double part) {
        return rounded(tick * static_cast<double>(std::min(seen.quantile(part), longest)));
    };
    return {within_longest(0.5), within_longest(0.99),
            rounded(tick * static_cast<double>(longest))};
}

} // namespace

stage_group::stage_group(pool& host) : core_{std::make_unique<detail::stage_group_core>(&host)} {}
stage_group::~stage_group() = default;
void stage_group::wait() { core_->wait("weft::stage_group::wait"); }
void stage_group::stop(on_stop mode) { core_->stop(mode); }

std::vector<stage_statistics> stage_group::statistics() const {
    std::vector<stage_statistics> all;
    core_->for_each(
        [&all](const detail::stage_core& each) { all.push_back(detail::statistics_of(each)); });
    return all;
}

namespace detail {

stage_settings checked_settings(const plain_options& options, const handler_settings& handler) {
    constexpr const char* call = "weft::stage";
    if (options.target.count() < 0) throw error{errc::invalid_argument, call};
    stage_settings made{};
    made.name = options.name;
    made.capacity = within(options.capacity, most_capacity, call);
    made.budget = within(options.workers, most_workers, call);
    made.share = within(options.share, most_share, call);
    made.batch = within(options.batch, most_batch, call);
    if (!handler.batches) made.batch = 1;
    made.order = options.order;
    made.pending_items = handler.pending;
    made.ordered_dispatch = handler.ordered_dispatch;
    made.target = static_cast<std::uint64_t>(options.target.count()) *
                  sync::tick_counter::in_microsecond / 1'000;
    return made;
}

stage_core& open_stage(stage_group& group, stage_settings settings, stage_program& program) {
    return group.core().make_stage(std::move(settings), program);
}

void end_stage(stage_core& core) noexcept {
    stage_group_core& group = core.group();
    const worker* caller = worker::current();
    pool_front* home = group.pool();
    if (home != nullptr && caller != nullptr && &caller->pool() == home) {
        // It would wait for itself: end the program, with the reason.
        home->errors->report(make_error(errc::would_deadlock, "weft::~stage", nullptr));
        std::terminate();
    }
    core.close(true);
    group.wait_for(core);
    if (group.is_settled()) core.clear();
    group.end_stage(core);
}

void set_capacity(stage_core& core, std::size_t capacity) {
    core.set_capacity(within(capacity, most_capacity, "weft::stage::set_capacity"));
}
void set_workers(stage_core& core, std::size_t workers) {
    core.set_budget(within(workers, most_workers, "weft::stage::set_workers"));
}
void set_share(stage_core& core, std::size_t share) {
    core.set_share(within(share, most_share, "weft::stage::set_share"));
}

weft::pool& pool_of(const stage_core& core) noexcept { return core.group().pool()->public_pool; }

void* allocate_item(const stage_core& core, std::size_t size, std::size_t alignment) {
    return allocate_task(size, alignment, core.group().pool());
}

void report_error(const stage_core& core, std::exception_ptr error) noexcept {
    if (pool_front* home = core.group().pool()) home->errors->report(std::move(error));
}

stage_statistics statistics_of(const stage_core& core) {
    const stage_counts seen = core.counts();
    stage_statistics made;
    made.name = core.settings().name;
    made.entered = seen.entered;
    made.done = seen.done;
    made.failed = seen.failed;
    made.dropped = seen.dropped;
    made.refused = seen.refused;
    const std::uint64_t left = seen.entered - seen.done - seen.failed - seen.dropped;
    made.running = std::min<std::uint64_t>(left, seen.running);
    made.queued = left - made.running;
    made.capacity = core.capacity();
    made.limit = core.limit();
    made.workers = core.budget();
    made.share = core.share();
    if (const stage_latencies* measured = core.latencies()) {
        made.wait = latency_of(core.group(), measured->waits);
        made.service = latency_of(core.group(), measured->services);
    }
    return made;
}

} // namespace detail
} // namespace weft::inline v0
