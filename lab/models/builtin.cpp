#include "models/builtin.hpp"

#include "models/classics.hpp"
#include "models/concurrent_multi_stealing.hpp"
#include "models/drawing.hpp"
#include "models/multi_stealing.hpp"
#include "models/paper_run.hpp"
#include "models/protocols.hpp"

#include <charconv>
#include <utility>

namespace weft::models {

namespace {

using petri::error;
using petri::fault;
using petri::net;

/// The parts between separators, as numbers from 1 to `most`.
std::vector<std::uint32_t> read_numbers(std::string_view text, std::string_view separators,
                                        std::size_t count, std::uint32_t most) {
    std::vector<std::uint32_t> numbers;
    for (bool more = true; more;) {
        const auto end = text.find_first_of(separators);
        const std::string_view part = text.substr(0, end);
        std::uint32_t number = 0;
        const auto [rest, failed] = std::from_chars(part.data(), part.data() + part.size(), number);
        if (failed != std::errc{} || rest != part.data() + part.size() || number < 1 ||
            number > most) {
            throw error{fault::bad_net, "'" + std::string{part} + "' is not a number from 1 to " +
                                            std::to_string(most)};
        }
        numbers.push_back(number);
        more = end != std::string_view::npos;
        if (more) text.remove_prefix(end + 1);
    }
    if (numbers.size() != count) {
        throw error{fault::bad_net, "expected " + std::to_string(count) + " numbers, found " +
                                        std::to_string(numbers.size())};
    }
    return numbers;
}

std::int32_t narrow(std::size_t size) { return static_cast<std::int32_t>(size); }

matrix_product product_of(const matrix_sizes& sizes) {
    const bool papers = sizes.m == 4 && sizes.n == 5 && sizes.p == 6;
    return papers ? paper_product() : matrix_product::of_sizes(sizes.m, sizes.n, sizes.p);
}

template <class Problem>
net taken_out(multi_stealing<Problem> model, std::size_t cores) {
    draw_multi_stealing(model.net(), cores);
    return std::move(model.net());
}

net multi_stealing_net(std::string_view text) {
    const matrix_sizes sizes = read_matrix_sizes(text);
    return taken_out(multi_stealing<matrix_product>{product_of(sizes), {.cores = sizes.cores}},
                     sizes.cores);
}

net shapes_net(std::string_view text) {
    const matrix_sizes sizes = read_matrix_sizes(text);
    const matrix_shapes shapes{narrow(sizes.m), narrow(sizes.p)};
    return taken_out(multi_stealing<matrix_shapes>{shapes, {.cores = sizes.cores}}, sizes.cores);
}

net concurrent_net(std::string_view text) {
    const matrix_sizes sizes = read_matrix_sizes(text);
    concurrent_multi_stealing model{product_of(sizes), sizes.cores};
    return std::move(model.net());
}

net fibonacci_net(std::string_view text) {
    const auto numbers = read_numbers(text, ":", 2, 64);
    return taken_out(
        multi_stealing<fibonacci>{fibonacci{narrow(numbers[0])}, {.cores = numbers[1]}},
        numbers[1]);
}

net hanoi_net(std::string_view text) {
    const auto numbers = read_numbers(text, ":", 2, 24);
    return taken_out(multi_stealing<hanoi>{hanoi{narrow(numbers[0])}, {.cores = numbers[1]}},
                     numbers[1]);
}

net search_net(std::string_view text) {
    const auto numbers = read_numbers(text, ":", 2, 4096);
    binary_search problem;
    for (std::int32_t each = 0; each != narrow(numbers[0]); ++each)
        problem.sorted.push_back(each / 2);
    problem.wanted = problem.sorted[problem.sorted.size() / 2];
    return taken_out(multi_stealing<binary_search>{problem, {.cores = numbers[1]}}, numbers[1]);
}

struct family {
    std::string_view name;
    std::string_view pattern;
    std::string_view summary;
    net (*make)(std::string_view);
};

template <net (*Make)(std::uint32_t), std::uint32_t Most>
net of_one_number(std::string_view text) {
    return Make(read_numbers(text, ":", 1, Most).front());
}

template <net (*Make)()>
net of_nothing(std::string_view text) {
    if (!text.empty()) throw error{fault::bad_net, "this net takes no parameters"};
    return Make();
}

constexpr family families[] = {
    {"mss", ":MxNxP:CORES", "multi stealing of a matrix product; 4x5x6:3 is the paper's",
     multi_stealing_net},
    {"mss-shape", ":MxNxP:CORES", "the same, with only the shapes of threads", shapes_net},
    {"mss-concurrent", ":MxNxP:CORES", "the same, with concurrent transitions", concurrent_net},
    {"mss-fibonacci", ":N:CORES", "multi stealing of a Fibonacci number", fibonacci_net},
    {"mss-search", ":SIZE:CORES", "multi stealing of a binary search", search_net},
    {"mss-hanoi", ":DISKS:CORES", "multi stealing of the Tower of Hanoi", hanoi_net},
    {"philosophers", ":N", "dining philosophers", of_one_number<philosophers, 1000>},
    {"token-ring", ":N", "Dijkstra's ring of N+1 machines", of_one_number<token_ring, 100>},
    {"peterson", ":N", "mutual exclusion of N+1 processes", of_one_number<peterson, 8>},
    {"kanban", ":N", "four cells of a factory with N cards", of_one_number<kanban, 1000>},
    {"resources", "", "three tasks on three resources that enter all queues at once",
     of_nothing<resource_example>},
    {"sleep", "", "workers that sleep, and a thread that submits work", of_nothing<sleep_and_wake>},
    {"termination", "", "ranks of a cluster that detect that nothing is left",
     of_nothing<termination_of_ranks>},
    {"contract", "", "a contract with its signals, runs and release", of_nothing<contract_states>},
};

} // namespace

matrix_sizes read_matrix_sizes(std::string_view text) {
    const auto numbers = read_numbers(text, "x:", 4, 100);
    return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

const std::vector<builtin_name>& builtin_names() {
    static const std::vector<builtin_name> all = [] {
        std::vector<builtin_name> names;
        for (const family& each : families) {
            names.push_back(
                {std::string{each.name} + std::string{each.pattern}, std::string{each.summary}});
        }
        return names;
    }();
    return all;
}

std::optional<net> builtin(std::string_view name) {
    const auto colon = name.find(':');
    const std::string_view rest = colon == std::string_view::npos ? "" : name.substr(colon + 1);
    for (const family& each : families) {
        if (each.name != name.substr(0, colon)) continue;
        try {
            net made = each.make(rest);
            made.set_name(std::string{name});
            return made;
        } catch (const error& wrong) {
            throw error{wrong.code(),
                        std::string{each.name} + std::string{each.pattern} + ": " + wrong.what()};
        }
    }
    return {};
}

} // namespace weft::models
