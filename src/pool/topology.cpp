// How many CPUs there are to be used.
#include <weft/detail/sync/thread.hpp>
#include <weft/pool.hpp>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace weft::inline v0 {
namespace {

constexpr double no_quota = std::numeric_limits<double>::infinity();

/// "max 100000" or "150000 100000": quota and period in microseconds.
double quota_of_version_2(const std::string& folder) {
    std::ifstream file{folder + "/cpu.max"};
    std::string quota;
    double period = 0;
    if (!(file >> quota >> period) || quota == "max" || period <= 0) return no_quota;
    return std::stod(quota) / period;
}

double quota_of_version_1(const std::string& folder) {
    std::ifstream quota_file{folder + "/cpu.cfs_quota_us"};
    std::ifstream period_file{folder + "/cpu.cfs_period_us"};
    double quota = 0;
    double period = 0;
    if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0) {
        return no_quota;
    }
    return quota / period;
}

/// The least quota of this process's control group and those around it.
double quota_of_groups() {
    double least = no_quota;
    std::ifstream groups{"/proc/self/cgroup"}; // lines of number:controllers:path
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        std::string path = line.substr(second + 1);
        for (;;) {
            if (controllers.empty()) {
                least = std::min(least, quota_of_version_2("/sys/fs/cgroup" + path));
            } else if ((',' + controllers + ',').find(",cpu,") != std::string::npos) {
                least = std::min(least, quota_of_version_1("/sys/fs/cgroup/cpu" + path));
            }
            const std::size_t slash = path.rfind('/');
            if (path.empty() || slash == std::string::npos) break;
            path.resize(slash);
        }
    }
    return least;
}

} // namespace

std::size_t usable_cpus() {
    const std::size_t allowed = std::max<std::size_t>(sync::allowed_cpus().size(), 1);
    const double quota = quota_of_groups();
    if (quota >= static_cast<double>(allowed)) return allowed;
    const auto whole = static_cast<std::size_t>(quota);
    return static_cast<double>(whole) < quota ? whole + 1 : std::max<std::size_t>(whole, 1);
}

} // namespace weft::inline v0
