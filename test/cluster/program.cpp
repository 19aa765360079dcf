// A program of ranks for ranks_test.py: what it does is its first argument.
#include "problems.hpp"

#include <weft/cluster.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <sys/resource.h>

namespace {

using weft::test::random_tree;

/// A tree whose tasks take a little, so that a run lasts; `last` may end the process.
struct slow_tree {
    using task = random_tree::task;
    using result = random_tree::result;
    static constexpr std::string_view name = "slow tree";

    void work(task node, weft::bag<task>& more, result& seen) const {
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{50};
        while (std::chrono::steady_clock::now() < end) {
        }
        random_tree{}.work(node, more, seen);
        if (dies && seen.nodes == 100) std::raise(SIGKILL);
    }
    static void combine(result& total, const result& part) { random_tree::combine(total, part); }

    bool dies = false;
};

constexpr random_tree::task root{.number = 5};

int print(const weft::cluster& all, const random_tree::result& found) {
    const bool right = found == random_tree::serial(root);
    if (all.rank() == 0) std::puts(right ? "right" : "wrong");
    return right ? 0 : 1;
}

/// Runs with checkpoints; kills the whole job when the second one is being asked for, if `dies`.
int run(weft::cluster& all, const std::string& file, bool dies) {
    int reports = 0;
    const auto progress = [&](const weft::cluster_progress& /*now*/) {
        if (dies && ++reports == 8) std::raise(SIGKILL);
    };
    return print(all, all.run(slow_tree{}, root,
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
