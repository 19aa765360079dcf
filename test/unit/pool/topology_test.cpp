#include "pool/topology.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// A root with the files that describe control groups.
class fake_root : public testing::Test {
protected:
    ~fake_root() override { fs::remove_all(root_); }

    void write(const std::string& path, const std::string& text) const {
        const fs::path file = root_ / path;
        fs::create_directories(file.parent_path());
        std::ofstream{file} << text;
    }
    [[nodiscard]] double quota() const { return detail::cpu_quota(root_.string()); }

private:
    static fs::path make_folder() {
        std::string name = (fs::temp_directory_path() / "weft-topology-XXXXXX").string();
        EXPECT_NE(::mkdtemp(name.data()), nullptr);
        return name;
    }
    fs::path root_ = make_folder();
};
using topology = fake_root;

TEST_F(topology, without_control_groups_there_is_no_quota) { EXPECT_EQ(quota(), unlimited); }

TEST_F(topology, version_2) {
    write("proc/self/cgroup", "0::/user/job\n");
    EXPECT_EQ(quota(), unlimited);
    write("sys/fs/cgroup/user/job/cpu.max", "150000 100000\n");
    EXPECT_EQ(quota(), 1.5);
    write("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
    EXPECT_EQ(quota(), unlimited);
}

TEST_F(topology, the_least_of_the_groups_around_it_counts) {
    write("proc/self/cgroup", "0::/user/job\n");
    write("sys/fs/cgroup/user/job/cpu.max", "400000 100000\n");
    write("sys/fs/cgroup/user/cpu.max", "200000 100000\n");
    EXPECT_EQ(quota(), 2.0);
    write("sys/fs/cgroup/cpu.max", "50000 100000\n");
    EXPECT_EQ(quota(), 0.5);
}

TEST_F(topology, version_1) {
    write("proc/self/cgroup", "12:memory:/other\n4:cpu,cpuacct:/box\n3:cpuset:/other\n");
    write("sys/fs/cgroup/cpu/other/cpu.cfs_quota_us", "100000\n");
    write("sys/fs/cgroup/cpu/other/cpu.cfs_period_us", "100000\n");
    write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "300000\n");
    write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota(), 3.0);
    write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "-1\n");
    EXPECT_EQ(quota(), unlimited);
}

TEST_F(topology, version_2_together_with_version_1) {
    write("proc/self/cgroup", "4:cpuset:/box\n0::/box\n");
    write("sys/fs/cgroup/unified/box/cpu.max", "200000 100000\n");
    EXPECT_EQ(quota(), 2.0);
}

TEST_F(topology, broken_files_are_no_quota) {
    write("proc/self/cgroup", "nonsense\n0::/box\n");
    write("sys/fs/cgroup/box/cpu.max", "what\n");
    EXPECT_EQ(quota(), unlimited);
    for (const char* text : {"100000 0", "100000 -100000", "0 100000", "-1 100000", "100000"}) {
        write("sys/fs/cgroup/box/cpu.max", text);
        EXPECT_EQ(quota(), unlimited) << text;
    }
}

TEST_F(topology, broken_files_of_version_1_are_no_quota) {
    write("proc/self/cgroup", "4:cpu:/box\n");
    for (const char* quota_text : {"0", "-1", "what", ""}) {
        for (const char* period_text : {"100000", "0", "-100000", "what", ""}) {
            write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", quota_text);
            write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", period_text);
            EXPECT_EQ(quota(), unlimited) << quota_text << " of " << period_text;
        }
    }
    write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "100000");
    EXPECT_EQ(quota(), unlimited) << "without a period";
    write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "-100000");
    EXPECT_EQ(quota(), unlimited) << "of a period below 0";
}

TEST_F(topology, lines_without_a_path_are_no_groups) {
    for (const std::string line : {"cpu", "4:cpu"}) {
        write("proc/self/cgroup", line + "\n");
        write("sys/fs/cgroup/cpu" + line + "/cpu.cfs_quota_us", "100000\n");
        write("sys/fs/cgroup/cpu" + line + "/cpu.cfs_period_us", "100000\n");
        EXPECT_EQ(quota(), unlimited) << line;
    }
}

TEST(cpus_within, is_rounded_up_and_at_least_one) {
    EXPECT_EQ(detail::cpus_within(8, unlimited), 8U);
    EXPECT_EQ(detail::cpus_within(8, 8.0), 8U);
    EXPECT_EQ(detail::cpus_within(8, 2.0), 2U);
    EXPECT_EQ(detail::cpus_within(8, 1.5), 2U);
    EXPECT_EQ(detail::cpus_within(8, 0.1), 1U);
    EXPECT_EQ(detail::cpus_within(0, unlimited), 1U);
    EXPECT_EQ(detail::cpus_within(4, 100.0), 4U);
}

} // namespace
} // namespace weft
