// Problems with known answers, for ranks.
#pragma once

#include <weft/cluster_problem.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::test {

/// The queens of the first rows of a board: in how many ways can it be filled?
struct queens {
    struct task {
        std::array<std::int8_t, 16> columns{};
        std::int8_t rows = 0;
        std::int8_t size = 0;
    };
    using result = std::uint64_t;
    static constexpr std::string_view name = "queens";

    void work(task board, bag<task>& more, result& found) const {
        if (board.rows == board.size) {
            ++found;
            return;
        }
        for (std::int8_t column = 0; column != board.size; ++column) {
            if (!is_free(board, column)) continue;
            task next = board;
            next.columns[static_cast<std::size_t>(next.rows++)] = column;
            more.add(next);
        }
    }
    static bool is_free(const task& board, int column) {
        for (int row = 0; row != board.rows; ++row) {
            const int apart = board.columns[static_cast<std::size_t>(row)] - column;
            if (apart == 0 || apart == board.rows - row || apart == row - board.rows) return false;
        }
        return true;
    }
};

/// A tree whose shape follows from hashes; the result counts its nodes, and has a sum of their
/// numbers, so that a task that is lost and one that is run twice do not make up for each other.
struct random_tree {
    struct task {
        std::uint64_t number = 0;
        std::uint32_t depth = 0;
    };
    struct result {
        std::uint64_t nodes = 0;
        std::uint64_t sum = 0;
        friend bool operator==(const result&, const result&) = default;
    };
    static constexpr std::string_view name = "random tree";

    void work(task node, bag<task>& more, result& seen) const {
        ++seen.nodes;
        seen.sum += node.number;
        visit_children(node, [&](task child) { more.add(child); });
    }
    static void combine(result& total, const result& part) {
        total.nodes += part.nodes;
        total.sum += part.sum;
    }
    template <class Visit>
    static void visit_children(task node, Visit visit) {
        // Wide at the top; below, nodes have 15/16 children on average: none, one or up to five.
        const std::uint64_t random = mix(node.number);
        const std::uint64_t kind = random % 16;
        std::uint64_t children = node.depth < 2 ? 12 : 0;
        if (node.depth >= 2 && node.depth < 40) children = kind < 12 ? 0 : kind - 10;
        if (node.depth >= 2 && kind == 11) children = 1; // chains
        for (std::uint64_t i = 0; i != children; ++i) {
            if (node.depth < 300) visit({mix(random + i), node.depth + 1});
        }
    }
    static std::uint64_t mix(std::uint64_t x) {
        x += 0x9E3779B97F4A7C15;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
        return x ^ (x >> 31);
    }
    [[nodiscard]] static result serial(task root, std::uint64_t most = 1'000'000) {
        result all;
        std::vector<task> stack{root};
        while (!stack.empty() && all.nodes < most) {
            const task node = stack.back();
            stack.pop_back();
            ++all.nodes;
            all.sum += node.number;
            visit_children(node, [&](task child) { stack.push_back(child); });
        }
        return all;
    }
};

/// Tasks and results with memory of their own: the words of an alphabet up to a length, counted by
/// their first letter.
struct words {
    struct task {
        std::string prefix;
        std::vector<int> path;
        template <class Archive>
        void serialize(Archive& archive) {
            archive(prefix, path);
        }
    };
    struct result {
        std::vector<std::pair<std::string, std::uint64_t>> counts;
        template <class Archive>
        void serialize(Archive& archive) {
            archive(counts);
        }
    };
    static constexpr std::size_t longest = 6;

    void work(task word, bag<task>& more, result& seen) const {
        if (!word.prefix.empty()) count(seen, word.prefix.substr(0, 1), 1);
        if (word.prefix.size() == longest) return;
        for (int letter = 0; letter != 4; ++letter) {
            task next = word;
            next.prefix.push_back(static_cast<char>('a' + letter));
            next.path.push_back(letter);
            more.add(std::move(next));
        }
    }
    static void combine(result& total, const result& part) {
        for (const auto& [letter, number] : part.counts) count(total, letter, number);
    }
    static void count(result& seen, const std::string& letter, std::uint64_t number) {
        const auto place = std::find_if(seen.counts.begin(), seen.counts.end(),
                                        [&](const auto& each) { return each.first == letter; });
        if (place != seen.counts.end()) place->second += number;
        else seen.counts.emplace_back(letter, number);
    }
};

} // namespace weft::test
