#include "models/paper_run.hpp"

#include <weft/lab/error.hpp>

namespace weft::models {

namespace {

constexpr std::array<paper_step, 69> steps{{
    {"L1", {4, 0, 0}, 0},  {"MSS", {2, 1, 1}, 0}, {"L2", {2, 4, 1}, 0},  {"L3", {2, 4, 4}, 0},
    {"L2", {2, 3, 4}, 1},  {"L2", {2, 4, 4}, 1},  {"L2", {2, 3, 4}, 2},  {"M2", {2, 3, 4}, 1},
    {"L3", {2, 3, 3}, 2},  {"M1", {2, 3, 3}, 1},  {"L2", {2, 2, 3}, 2},  {"M3", {2, 2, 3}, 1},
    {"M2", {2, 2, 3}, 0},  {"L1", {5, 2, 3}, 0},  {"L2", {5, 3, 3}, 0},  {"L2", {5, 2, 3}, 1},
    {"L2", {5, 1, 3}, 2},  {"L3", {5, 1, 4}, 2},  {"L1", {4, 1, 4}, 3},  {"M1", {4, 1, 4}, 2},
    {"M3", {4, 1, 4}, 1},  {"L2", {4, 0, 4}, 2},  {"MSS", {3, 3, 2}, 2}, {"M3", {3, 3, 2}, 1},
    {"M1", {3, 3, 2}, 0},  {"L2", {3, 4, 2}, 0},  {"L2", {3, 3, 2}, 1},  {"M1", {3, 3, 2}, 0},
    {"L2", {3, 2, 2}, 1},  {"M2", {3, 2, 2}, 0},  {"L3", {3, 2, 3}, 0},  {"L1", {4, 2, 3}, 0},
    {"L3", {4, 2, 2}, 1},  {"L2", {4, 1, 2}, 2},  {"L3", {4, 1, 1}, 3},  {"L2", {4, 0, 1}, 4},
    {"MSS", {2, 2, 1}, 4}, {"L3", {2, 2, 0}, 5},  {"MSS", {2, 1, 1}, 5}, {"M2", {2, 1, 1}, 4},
    {"M2", {2, 1, 1}, 3},  {"L3", {2, 1, 0}, 4},  {"MSS", {1, 1, 1}, 4}, {"M1", {1, 1, 1}, 3},
    {"M2", {1, 1, 1}, 2},  {"L1", {4, 1, 1}, 2},  {"M3", {4, 1, 1}, 1},  {"L2", {4, 0, 1}, 2},
    {"MSS", {2, 2, 1}, 2}, {"L3", {2, 2, 0}, 3},  {"MSS", {2, 1, 1}, 3}, {"M3", {2, 1, 1}, 2},
    {"L1", {3, 1, 1}, 2},  {"L3", {3, 1, 2}, 2},  {"L1", {2, 1, 2}, 3},  {"M3", {2, 1, 2}, 2},
    {"M3", {2, 1, 2}, 1},  {"M1", {2, 1, 2}, 0},  {"L3", {2, 1, 1}, 1},  {"M3", {2, 1, 1}, 0},
    {"L2", {2, 0, 1}, 1},  {"MSS", {1, 1, 1}, 1}, {"M3", {1, 1, 1}, 0},  {"L3", {1, 1, 0}, 1},
    {"M3", {1, 1, 0}, 0},  {"L1", {0, 1, 0}, 1},  {"L2", {0, 0, 0}, 2},  {"M3", {0, 0, 0}, 1},
    {"M2", {0, 0, 0}, 0},
}};

constexpr std::array<paper_group, 36> groups{{
    {1, 1},   {2, 2},   {3, 4},   {5, 5},   {6, 6},   {7, 7},   {8, 11},  {12, 15}, {16, 16},
    {17, 20}, {21, 22}, {23, 23}, {24, 26}, {27, 27}, {28, 29}, {30, 32}, {33, 34}, {35, 36},
    {37, 37}, {38, 38}, {39, 39}, {40, 40}, {41, 42}, {43, 43}, {44, 48}, {49, 49}, {50, 50},
    {51, 51}, {52, 54}, {55, 56}, {57, 59}, {60, 61}, {62, 62}, {63, 64}, {65, 67}, {68, 69},
}};

} // namespace

matrix_product paper_product() {
    return {.a = {{1, 2, 3, 7, 8}, {2, 4, 4, 9, 1}, {3, 1, 7, 8, 2}, {2, 5, 6, 4, 8}},
            .b = {{2, 1, 4, 9, 7, 6},
                  {1, 7, 6, 2, 9, 5},
                  {9, 9, 8, 1, 2, 4},
                  {4, 3, 8, 7, 6, 5},
                  {3, 2, 1, 1, 6, 7}}};
}

matrix paper_result() {
    return {{83, 79, 104, 73, 121, 119},
            {83, 95, 137, 94, 118, 100},
            {108, 101, 140, 94, 104, 105},
            {103, 119, 126, 70, 143, 137}};
}

std::span<const paper_step> paper_steps() { return steps; }
std::span<const paper_group> paper_groups() { return groups; }

std::string transition_of(std::string_view fired) {
    if (fired == "MSS") return "MSS";
    const std::string_view core = fired.substr(1);
    const bool known =
        !core.empty() && core.find_first_not_of("0123456789") == std::string_view::npos;
    if (!known || (fired.front() != 'L' && fired.front() != 'M')) {
        throw petri::error{petri::fault::bad_trace,
                           "'" + std::string{fired} + "' is not one of MSS, L1, M1, …"};
    }
    return "Core" + std::string{core} + (fired.front() == 'L' ? ".LTS" : ".Multiplier");
}

std::string short_name_of(std::string_view transition) {
    const auto dot = transition.find('.');
    if (dot == std::string_view::npos || !transition.starts_with("Core"))
        return std::string{transition};
    const std::string core{transition.substr(4, dot - 4)};
    return (transition.substr(dot) == ".LTS" ? "L" : "M") + core;
}

std::string paper_name_of(std::string_view fired) {
    if (fired == "MSS") return "MSS";
    const std::string core{fired.substr(1)};
    return fired.front() == 'L' ? "LTS-Core" + core : "Multiplier" + core;
}

} // namespace weft::models
