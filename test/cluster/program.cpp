// A program of ranks for ranks_test.py: what it does is its first argument.
#include "problems.hpp"

#include <weft/cluster.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>

#include <sys/resource.h>

namespace {

using weft::test::random_tree;

/// A tree whose tasks take a little, so that a run lasts.
struct slow_tree {
    using task = random_tree::task;
    using result = random_tree::result;
    static constexpr std::string_view name = "slow tree";

    void work(task node, weft::bag<task>& more, result& seen) const {
        std::this_thread::sleep_for(time);
        random_tree{}.work(node, more, seen);
        if (dies && seen.nodes == 10) std::raise(SIGKILL);
    }
    static void combine(result& total, const result& part) { random_tree::combine(total, part); }

    std::chrono::microseconds time{10};
    bool dies = false;
};

constexpr random_tree::task root{.number = 5};

int print(const weft::cluster& all, const random_tree::result& found) {
    const bool right = found == random_tree::serial(root);
    if (all.rank() == 0) std::puts(right ? "right" : "wrong");
    return right ? 0 : 1;
}

/// Runs with checkpoints. If `dies`, tasks take so long that the run cannot end before there is
/// one, and then the process is killed.
int run(weft::cluster& all, const std::string& file, bool dies) {
    const auto progress = [&](const weft::cluster_progress& /*now*/) {
        if (dies && std::filesystem::exists(file)) std::raise(SIGKILL);
    };
    const slow_tree problem{.time = std::chrono::milliseconds{dies ? 20 : 0}};
    return print(all, all.run(problem, root,
                              {.checkpoint = file,
                               .every = std::chrono::milliseconds{10},
                               .progress = progress,
                               .progress_every = std::chrono::milliseconds{10}}));
}

int run_on_a_full_disk(weft::cluster& all, const std::string& file) {
    if (all.rank() == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit small{.rlim_cur = 64, .rlim_max = 64};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    try {
        static_cast<void>(all.run(slow_tree{}, root,
                                  {.checkpoint = file, .every = std::chrono::milliseconds{1}}));
    } catch (const weft::error& wrong) {
        const bool right = wrong.code() == weft::errc::checkpoint_failed;
        if (all.rank() == all.size() - 1) std::puts(wrong.what());
        return right ? 0 : 1;
    }
    return 1;
}

} // namespace

int main(int count, char** words) {
    const std::string_view action = count > 1 ? words[1] : "";
    const std::string file = count > 2 ? words[2] : "";
    weft::cluster all{{.workers = 1}};
    if (action == "run") return run(all, file, false);
    if (action == "die") return run(all, file, true);
    if (action == "full") return run_on_a_full_disk(all, file);
    if (action == "kill") {
        const slow_tree problem{.dies = all.rank() == all.size() - 1};
        return print(all, all.run(problem, root));
    }
    std::fputs("program run|die|full FILE, or program kill\n", stderr);
    return 2;
}
