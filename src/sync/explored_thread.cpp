// The stacks and CPUs of explored threads.
#include <weft/detail/sync/thread.hpp>

#ifdef WEFT_MODEL

#include <weft/detail/sync/thread_local_value.hpp>

namespace weft::inline v0::sync {
namespace {

/// Explored threads have two CPUs; each begins on the first, and stays where it moved last.
struct cpu_tag;
using cpu_of_thread = thread_local_value<cpu_tag, std::size_t>;
constexpr std::size_t cpus = 2;

} // namespace

std::uintptr_t stack_bottom() noexcept { return explorer::stack_bottom(); }

bool stay_on_cpu(std::size_t cpu) noexcept {
    if (cpu >= cpus) return false;
    cpu_of_thread::set(cpu);
    return true;
}

void move_to_cpu(std::size_t cpu) noexcept { stay_on_cpu(cpu); }

void wake_on_time() noexcept {}
std::size_t current_cpu() noexcept { return cpu_of_thread::get(); }

std::vector<std::size_t> allowed_cpus() {
    std::vector<std::size_t> all;
    for (std::size_t cpu = 0; cpu < cpus; ++cpu) all.push_back(cpu);
    return all;
}

} // namespace weft::inline v0::sync

#endif
