// How many CPUs a process may use.
#pragma once

#include <cstddef>
#include <string>

namespace weft::inline v0::detail {

/// CPUs' worth of time that the control groups of this process allow, infinity if they allow all.
/// Reads `<root>/proc/self/cgroup` and `<root>/sys/fs/cgroup`: version 1, version 2, and version 2
/// together with version 1 (`unified`).
[[nodiscard]] double cpu_quota(const std::string& root);

/// The whole number of CPUs for `allowed` CPUs and a quota: rounded up, at least 1.
[[nodiscard]] std::size_t cpus_within(std::size_t allowed, double quota) noexcept;

} // namespace weft::inline v0::detail
