// A set of CPUs of any size, as the kernel takes and gives it.
#pragma once

#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace weft::inline v0::sync {

/// `cpu_set_t` ends at 1,024 CPUs, and kernels made for more refuse to fill it. This one grows
/// until the kernel accepts it.
class cpu_mask {
public:
    /// With room for `cpus` CPUs, none of which is in it. Throws std::bad_alloc for more than
    /// 1,024.
    explicit cpu_mask(std::size_t cpus = CPU_SETSIZE) {
        if (cpus > CPU_SETSIZE) large_.resize((cpus + word_cpus - 1) / word_cpus);
    }

    /// Calls `read(bytes, set)`, which behaves like sched_getaffinity, with more room while it
    /// fails with EINVAL. The mask is empty if it fails for another reason, or for more than a
    /// million CPUs.
    template <class Read>
    static cpu_mask read_by(Read read) {
        constexpr std::size_t most = std::size_t{1} << 20;
        for (std::size_t cpus = CPU_SETSIZE; cpus <= most; cpus *= 2) {
            cpu_mask mask{cpus};
            if (read(mask.bytes(), mask.set()) == 0) return mask;
            if (errno != EINVAL) break;
        }
        return cpu_mask{};
    }

    void add(std::size_t cpu) noexcept { CPU_SET_S(cpu, bytes(), set()); }
    [[nodiscard]] bool contains(std::size_t cpu) const noexcept {
        return cpu < room() && CPU_ISSET_S(cpu, bytes(), set());
    }
    /// All CPUs of the mask, in ascending order.
    [[nodiscard]] std::vector<std::size_t> cpus() const {
        std::vector<std::size_t> all;
        for (std::size_t cpu = 0; cpu < room(); ++cpu) {
            if (contains(cpu)) all.push_back(cpu);
        }
        return all;
    }

    [[nodiscard]] std::size_t bytes() const noexcept {
        return large_.empty() ? sizeof small_ : large_.size() * sizeof(word);
    }
    [[nodiscard]] cpu_set_t* set() noexcept {
        return large_.empty() ? &small_ : reinterpret_cast<cpu_set_t*>(large_.data());
    }
    [[nodiscard]] const cpu_set_t* set() const noexcept {
        return large_.empty() ? &small_ : reinterpret_cast<const cpu_set_t*>(large_.data());
    }

private:
    using word = __cpu_mask; // what a cpu_set_t is an array of
    static constexpr std::size_t word_cpus = 8 * sizeof(word);

    [[nodiscard]] std::size_t room() const noexcept { return 8 * bytes(); }

    cpu_set_t small_{};       // used on nearly all machines: no allocation
    std::vector<word> large_; // used instead if there are more CPUs
};

} // namespace weft::inline v0::sync
