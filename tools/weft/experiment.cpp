#include "experiment.hpp"

#include "commands.hpp"
#include "shell/files.hpp"
#include "shell/progress.hpp"

#include "models/scaling.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::cli {

namespace {

using json = nlohmann::ordered_json;
using models::scaling_point;

struct measure {
    const char* key;
    const char* title;
    double scaling_point::* value;
    double factor; // of the printed value
};
constexpr std::array<measure, 4> measures{{
    {"concurrent_steps", "concurrent steps: all fires together that can",
     &scaling_point::concurrent_steps, 1},
    {"idle", "% of the cores that have no thread while others divide theirs", &scaling_point::idle,
     100},
    {"groups", "groups: a random run, cut as in table 2B", &scaling_point::groups, 1},
    {"steps", "steps: transitions fired one by one, as in table 2A", &scaling_point::steps, 1},
}};

std::vector<std::size_t> children_of(const arguments& request) {
    auto all = request.numbers("--children", "2,4,8,16", 2, 16);
    for (const std::size_t each : all) {
        if ((each & (each - 1)) != 0) {
            throw usage_error{"--children takes 2, 4, 8 and 16, and not '" + std::to_string(each) +
                              "'"};
        }
    }
    return all;
}

std::string size_text(const models::matrix_product& product) {
    return fmt::format("{}x{}x{}", product.a.size(), product.b.size(), product.b.front().size());
}

json result_json(const models::matrix_product& product, const std::vector<scaling_point>& points,
                 std::uint64_t runs) {
    json all = json::array();
    for (const scaling_point& each : points) {
        json point{{"cores", each.cores}, {"children", each.children}};
        for (const measure& one : measures) point[one.key] = each.*one.value;
        all.push_back(std::move(point));
    }
    return {{"product", size_text(product)}, {"runs", runs}, {"points", all}};
}

/// A row for each number of cores, a column for each number of children.
void print_measure(const measure& shown, const std::vector<std::size_t>& children,
                   const std::vector<scaling_point>& points) {
    std::printf("\n%s\n%8s", shown.title, "cores");
    for (const std::size_t each : children) std::printf("  %2zu children", each);
    for (std::size_t index = 0; index != points.size(); ++index) {
        if (index % children.size() == 0) std::printf("\n%8zu", points[index].cores);
        std::printf("  %11.1f", points[index].*shown.value * shown.factor);
    }
    std::puts("");
}

std::string make_experiment_page(const std::string& figures) {
    constexpr std::string_view place = R"({"here": "the figures"})";
    const auto found = experiment_page.find(place);
    if (found == std::string_view::npos)
        throw std::logic_error{"the page has no place for figures"};
    return std::string{experiment_page.substr(0, found)} + figures +
           std::string{experiment_page.substr(found + place.size())};
}

} // namespace

int run_experiment(const models::matrix_product& product, const arguments& request) {
    const auto children = children_of(request);
    const auto cores = request.numbers("--cores", "1,2,3,4,6,8,12,16", 1, 100);
    const std::uint64_t runs = request.number("--runs", 20, 1, 10'000);
    const auto page = request.value("--page");
    const auto file = request.value("--json");
    if (page == "-" && file == "-") {
        throw usage_error{"standard output cannot be both the page and the JSON"};
    }
    for (const auto& output : {page, file}) {
        if (output && *output != "-") require_writable(*output);
    }
    progress shown;
    std::vector<scaling_point> points;
    for (const std::size_t core_count : cores) {
        for (const std::size_t most : children) {
            shown.show([&] { return fmt::format("{} cores, {} children", core_count, most); });
            points.push_back(models::measure_scaling(product, core_count, most, runs));
        }
    }
    shown.end();
    const json result = result_json(product, points, runs);
    if (page) write_whole_file(*page, make_experiment_page(result.dump()));
    if (file) write_json(*file, result);
    if (page == "-" || file) return success;
    std::printf("%s, means of %llu runs; children: the most threads that one firing of LTS makes\n",
                size_text(product).c_str(), static_cast<unsigned long long>(runs));
    for (const measure& each : measures) print_measure(each, children, points);
    return success;
}

} // namespace weft::cli
