#include "pool/topology.hpp"

#include <weft/detail/sync/thread.hpp>
#include <weft/pool.hpp>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string_view>

namespace weft::inline v0 {
namespace detail {
namespace {

constexpr double no_quota = std::numeric_limits<double>::infinity();

/// "max 100000" or "150000 100000": quota and period in microseconds.
double quota_of_version_2(const std::string& folder) {
    std::ifstream file{folder + "/cpu.max"};
    double quota = 0; // "max" is no number
    double period = 0;
    if (!(file >> quota >> period) || quota <= 0 || period <= 0) return no_quota;
    return quota / period;
}

double quota_of_version_1(const std::string& folder) {
    std::ifstream quota_file{folder + "/cpu.cfs_quota_us"};
    std::ifstream period_file{folder + "/cpu.cfs_period_us"};
    double quota = 0; // -1: none
    double period = 0;
    if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0) {
        return no_quota;
    }
    return quota / period;
}

/// The smallest `quota_of(mount + path)` of the path and all its parents.
template <class QuotaOf>
double least_quota(const std::string& mount, std::string path, QuotaOf quota_of) {
    double least = no_quota;
    for (;;) {
        least = std::min(least, quota_of(mount + path));
        const std::size_t slash = path.rfind('/');
        if (slash == std::string::npos) return least;
        path.resize(slash);
    }
}

bool has_cpu_controller(std::string_view controllers) {
    return (',' + std::string{controllers} + ',').find(",cpu,") != std::string::npos;
}

} // namespace

double cpu_quota(const std::string& root) {
    double least = no_quota;
    const std::string mounts = root + "/sys/fs/cgroup";
    std::ifstream groups{root + "/proc/self/cgroup"}; // lines of number:controllers:path
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string path = line.substr(second + 1);
        if (controllers.empty()) {
            for (const std::string& mount : {mounts, mounts + "/unified"}) {
                least = std::min(least, least_quota(mount, path, quota_of_version_2));
            }
        } else if (has_cpu_controller(controllers)) {
            least = std::min(least, least_quota(mounts + "/cpu", path, quota_of_version_1));
        }
    }
    return least;
}

std::size_t cpus_within(std::size_t allowed, double quota) noexcept {
    const std::size_t least = 1;
    if (quota >= static_cast<double>(allowed)) return std::max(allowed, least);
    const auto whole =
        static_cast<std::size_t>(quota); // not std::ceil: the C archive needs no libm
    return std::max(static_cast<double>(whole) < quota ? whole + 1 : whole, least);
}

} // namespace detail

std::size_t usable_cpus() {
    return detail::cpus_within(sync::allowed_cpus().size(), detail::cpu_quota(""));
}

} // namespace weft::inline v0
