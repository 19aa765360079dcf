#include "pool/cpu_placement.hpp"

#include <weft/detail/sync/thread.hpp>

#include <algorithm>

namespace weft::inline v0::detail {
namespace {

/// The CPU of the thread that creates the pool comes last: the thread that submits often runs
/// there, and a worker that is woken starts sooner on another CPU.
std::vector<std::size_t> cpus_for_workers() {
    std::vector<std::size_t> all = sync::allowed_cpus();
    const auto makers = std::ranges::find(all, sync::current_cpu());
    // NOLINTNEXTLINE(modernize-use-ranges): clang 14 does not compile what that returns
    if (makers != all.end()) std::rotate(all.begin(), makers + 1, all.end());
    return all;
}

} // namespace

cpu_placement::cpu_placement(std::size_t workers, bool pinned)
    : cpus_{cpus_for_workers()}, workers_{workers}, pinned_{pinned},
      taken_{std::make_unique<worker_cpu[]>(workers)} {}

void cpu_placement::begin(std::size_t worker) noexcept {
    if (cpus_.empty()) return;
    const std::size_t cpu = cpus_[worker % cpus_.size()];
    if (pinned_) sync::stay_on_cpu(cpu);
    else sync::move_to_cpu(cpu);
}

void cpu_placement::settle(std::size_t worker) noexcept {
    std::size_t cpu = sync::current_cpu();
    if (!pinned_ && is_taken(cpu, worker)) {
        const auto free = std::ranges::find_if_not(
            cpus_, [&](std::size_t each) { return is_taken(each, worker); });
        if (free != cpus_.end()) {
            cpu = *free;
            sync::move_to_cpu(cpu);
        }
    }
    taken_[worker].cpu.store(cpu, sync::relaxed);
}

bool cpu_placement::is_taken(std::size_t cpu, std::size_t asking) const noexcept {
    for (std::size_t each = 0; each < workers_; ++each) {
        if (each != asking && taken_[each].cpu.load(sync::relaxed) == cpu) return true;
    }
    return false;
}

} // namespace weft::inline v0::detail
