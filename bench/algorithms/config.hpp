// Parallel algorithms over numbers: short loops, where the call itself costs most, long ones, and
// one whose last elements take a thousand times as long as the others.
#pragma once

#include "runner/timed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bench::algorithms {

using numbers = std::span<std::uint32_t>;

inline std::uint32_t triple(std::uint32_t number) { return number * 3 + 1; }

/// Takes about 1.5 ns for each round.
inline std::uint32_t spin(std::uint32_t seed, int rounds) {
    std::uint64_t state = seed + 1;
    for (int each = 0; each != rounds; ++each) {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
    }
    return static_cast<std::uint32_t>(state);
}
/// The last hundredth of the indices takes a thousand times as long.
inline std::uint32_t skewed_work(std::size_t index, std::size_t count) {
    return spin(static_cast<std::uint32_t>(index), index >= count - count / 100 ? 8'000 : 8);
}

enum class algorithm : std::uint8_t { loop, reduce, scan, sort, stable_sort, find, skewed };

inline bool changes_input(algorithm kind) {
    return kind == algorithm::sort || kind == algorithm::stable_sort;
}

/// What a call works on. A sort needs other numbers for each call.
struct state {
    std::vector<std::uint32_t> input;
    std::vector<std::uint32_t> output;
    std::uint64_t result = 0;
};

struct problem {
    algorithm kind;
    std::size_t count;
    std::size_t calls; // of one sample, so that a short one can be measured

    [[nodiscard]] parameters describe() const {
        static constexpr std::array names{"for",         "reduce", "scan",  "sort",
                                          "stable_sort", "find",   "skewed"};
        return {{"algorithm", std::string{names[static_cast<std::size_t>(kind)]}},
                {"n", static_cast<std::int64_t>(count)}};
    }
    [[nodiscard]] state make() const {
        const std::size_t copies = changes_input(kind) ? calls : 1;
        state made{std::vector<std::uint32_t>(count * copies), {}};
        for (std::size_t i = 0; i != made.input.size(); ++i) made.input[i] = number_at(i);
        made.output.resize(count);
        return made;
    }
    /// The numbers of one of the calls.
    [[nodiscard]] numbers input_of(state& data, std::size_t call) const {
        return numbers{data.input}.subspan(changes_input(kind) ? call * count : 0, count);
    }
    /// The number to be found is in the middle, and nowhere else.
    [[nodiscard]] std::uint32_t wanted() const { return number_at(count / 2); }

    void check(state& data) const {
        switch (kind) {
        case algorithm::loop:
            for (std::size_t i = 0; i != count; ++i) {
                expect_equal("an element", data.output[i], triple(number_at(i)));
            }
            break;
        case algorithm::reduce: {
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i != count; ++i) sum += number_at(i);
            expect_equal("the sum", data.result, sum);
            break;
        }
        case algorithm::scan: {
            std::uint32_t sum = 0;
            for (std::size_t i = 0; i != count; ++i) {
                expect_equal("a sum", data.output[i], sum += number_at(i));
            }
            break;
        }
        case algorithm::sort:
        case algorithm::stable_sort:
            expect_equal("sorted", std::ranges::is_sorted(input_of(data, calls - 1)), true);
            break;
        case algorithm::find:
            expect_equal("the place", data.result, std::uint64_t{count / 2});
            break;
        case algorithm::skewed:
            for (std::size_t i = 0; i < count; i += 997) {
                expect_equal("an element", data.output[i], skewed_work(i, count));
            }
            break;
        }
    }

private:
    /// One-to-one.
    static std::uint32_t number_at(std::size_t index) {
        auto x = static_cast<std::uint32_t>(index) * 0x9E37'79B9U;
        x = (x ^ (x >> 16U)) * 0x85EB'CA6BU;
        return x ^ (x >> 13U);
    }
};

/// `Library` has a member function for each algorithm, on the stage's threads.
template <class Library>
void call(Library& library, const problem& chosen, state& data, std::size_t number) {
    const numbers input = chosen.input_of(data, number);
    const numbers output{data.output};
    switch (chosen.kind) {
    case algorithm::loop: library.loop(input, output); break;
    case algorithm::reduce: data.result = library.reduce(input); break;
    case algorithm::scan: library.scan(input, output); break;
    case algorithm::sort: library.sort(input); break;
    case algorithm::stable_sort: library.stable_sort(input); break;
    case algorithm::find: data.result = library.find(input, chosen.wanted()); break;
    case algorithm::skewed: library.skewed(output); break;
    }
}

inline std::vector<problem> problems(const request& request) {
    std::vector<problem> made;
    for (const algorithm kind :
         {algorithm::loop, algorithm::reduce, algorithm::scan, algorithm::find}) {
        made.push_back({kind, 1'000, 2'000});
        made.push_back({kind, 100'000, 50});
        made.push_back({kind, request.choose<std::size_t>(10'000'000, 100'000'000), 1});
    }
    for (const algorithm kind : {algorithm::sort, algorithm::stable_sort}) {
        made.push_back({kind, 1'000, 200});
        made.push_back({kind, 100'000, 5});
        made.push_back({kind, request.choose<std::size_t>(1'000'000, 10'000'000), 1});
    }
    made.push_back({algorithm::skewed, 20'000, 1});
    made.push_back({algorithm::skewed, 200'000, 1});
    return made;
}

/// `Library` is also a stage: `before`, `run(body)`, which enters it as its users do, and `after`.
template <class Library>
std::vector<contestant> contestants(const request& request) {
    const auto library = std::make_shared<Library>(request);
    std::vector<contestant> made;
    for (const problem& chosen : problems(request)) {
        made.push_back({chosen.describe(), {}, [library, chosen]() -> std::vector<sample> {
                            state data = chosen.make();
                            library->before();
                            const double seconds = library->run([&] {
                                const weft::cli::stopwatch watch;
                                for (std::size_t i = 0; i != chosen.calls; ++i) {
                                    call(*library, chosen, data, i);
                                }
                                return watch.seconds() / static_cast<double>(chosen.calls);
                            });
                            library->after();
                            chosen.check(data);
                            return {{"seconds", seconds, "s"}};
                        }});
    }
    return made;
}

} // namespace bench::algorithms
