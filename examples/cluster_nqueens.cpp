// In how many ways can n queens stand on a board? Counted by all ranks of an MPI job:
// mpirun -n 4 example_cluster_nqueens 12
#include <weft/cluster.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

// [problem]
/// A task is a board whose first rows are filled. Working on it adds a task for each place where
/// the queen of the next row may stand.
struct queens {
    struct task {
        std::array<std::int8_t, 16> columns{}; // trivially copyable: it travels as it is
        std::int8_t rows = 0;
        std::int8_t size = 0;
    };
    using result = std::uint64_t; // partial results are added

    void work(const task& board, weft::bag<task>& more, result& found) const {
        if (board.rows == board.size) ++found;
        for (std::int8_t column = 0; column != board.size && board.rows != board.size; ++column) {
            if (!is_free(board, column)) continue;
            task next = board;
            next.columns.at(static_cast<std::size_t>(next.rows++)) = column;
            more.add(next);
        }
    }

    static bool is_free(const task& board, int column) {
        for (int row = 0; row != board.rows; ++row) {
            const int apart = board.columns.at(static_cast<std::size_t>(row)) - column;
            if (apart == 0 || apart == board.rows - row || apart == row - board.rows) return false;
        }
        return true;
    }
};
// [/problem]

// [words]
/// Tasks and results may own memory: `serialize` names their members, as for cereal.
struct subset_sums {
    struct task {
        std::vector<int> chosen;
        int next = 1;
        template <class Archive>
        void serialize(Archive& archive) {
            archive(chosen, next);
        }
    };
    struct result {
        std::vector<int> longest;
        template <class Archive>
        void serialize(Archive& archive) {
            archive(longest);
        }
    };
    int sum; // a member is the same on all ranks, because all run the same program

    void work(const task& some, weft::bag<task>& more, result& best) const {
        int total = 0;
        for (const int each : some.chosen) total += each;
        if (total == sum) combine(best, {some.chosen});
        if (total >= sum || some.next > sum) return;
        more.add({some.chosen, some.next + 1});
        task with = some;
        with.chosen.push_back(with.next++);
        more.add(std::move(with));
    }
    /// Commutative and associative: of two of one length, the one that comes first in order.
    static void combine(result& total, const result& part) {
        const bool longer = part.longest.size() > total.longest.size();
        const bool equal = part.longest.size() == total.longest.size();
        if (longer || (equal && part.longest < total.longest)) total = part;
    }
};
// [/words]

int main(int count, char** words) {
    const int size = count > 1 ? std::atoi(words[1]) : 9;
    if (size < 1 || size > 16) {
        std::cerr << "a board has 1 to 16 rows\n";
        return EXIT_FAILURE;
    }
    try {
        // [run]
        weft::cluster cluster; // all ranks; initialises MPI
        const queens::task empty{.size = static_cast<std::int8_t>(size)};
        const std::uint64_t found = cluster.run(queens{}, empty); // the same on every rank
        if (cluster.rank() == 0) std::cout << found << " ways on " << cluster.size() << " ranks\n";
        // [/run]

        // [loops]
        const auto squares = cluster.transform_reduce(
            1, 1'001, std::int64_t{0}, [](std::int64_t a, std::int64_t b) { return a + b; },
            [](std::int64_t i) { return i * i; });
        const std::vector<std::string> names =
            cluster.broadcast(cluster.rank() == 0 ? std::vector<std::string>{"Ada", "Alan"}
                                                  : std::vector<std::string>{});
        // [/loops]

        const auto longest = cluster.run(subset_sums{12}, {}).longest;
        const bool right = (size != 9 || found == 352) && squares == 333'833'500 &&
                           names.size() == 2 && longest == std::vector<int>{1, 2, 3, 6};
        return right ? EXIT_SUCCESS : EXIT_FAILURE;
        // [failure]
    } catch (const weft::cluster_error& wrong) {
        // On every rank: the message names the rank whose task has thrown, and says what.
        std::cerr << wrong.what() << '\n';
        return EXIT_FAILURE;
    }
    // [/failure]
}
