// weft mss: the tables of the paper on the Multi Stealing Scheduler.
#include "commands.hpp"
#include "experiment.hpp"
#include "shell/files.hpp"

#include "balance/plan.hpp"
#include "models/builtin.hpp"
#include "models/matrix_file.hpp"
#include "models/run_groups.hpp"
#include "sim/stealing_rules.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::cli {

namespace {

using json = nlohmann::ordered_json;

models::matrix_sizes read_net(const std::string& text) {
    try {
        return models::read_matrix_sizes(text);
    } catch (const petri::error& wrong) {
        throw usage_error{std::string{"--net: "} + wrong.what()};
    }
}

models::matrix read_matrix_file(const std::string& name) {
    try {
        return models::read_matrix(read_whole_file(name));
    } catch (const petri::error& wrong) {
        throw petri::error{wrong.code(), name + ": " + wrong.what()};
    }
}

/// The matrices that are to be multiplied, and the number of cores if it is named with them.
struct requested_product {
    models::matrix_product product;
    std::optional<std::size_t> cores;
};

requested_product product_of(const arguments& request) {
    const auto a = request.value("--a");
    const auto b = request.value("--b");
    const auto net = request.value("--net");
    if (a.has_value() != b.has_value()) throw usage_error{"--a and --b are given together"};
    if (a && net) throw usage_error{"the product is given by --a and --b, or by --net"};
    if (a) return {models::product_of(read_matrix_file(*a), read_matrix_file(*b)), {}};
    if (!net) return {models::paper_product(), {}};
    const auto sizes = read_net(*net);
    const bool papers = sizes.m == 4 && sizes.n == 5 && sizes.p == 6;
    return {papers ? models::paper_product()
                   : models::matrix_product::of_sizes(sizes.m, sizes.n, sizes.p),
            sizes.cores};
}

std::size_t cores_of(const requested_product& wanted, const arguments& request) {
    if (!request.has("--cores")) return wanted.cores.value_or(3);
    if (wanted.cores) throw usage_error{"the cores are given by --cores or by --net"};
    return request.number("--cores", 3, 1, 100);
}

models::multi_stealing<models::matrix_product> make_model(const arguments& request) {
    requested_product wanted = product_of(request);
    const std::uint64_t children = request.number("--children", 4, 2, 16);
    if ((children & (children - 1)) != 0) {
        throw usage_error{"--children takes 2, 4, 8 and 16, and not '" + std::to_string(children) +
                          "'"};
    }
    wanted.product.most_children = children;
    const std::size_t cores = cores_of(wanted, request);
    return models::multi_stealing<models::matrix_product>{wanted.product, {.cores = cores}};
}

petri::trace paper_trace() {
    petri::trace all;
    for (const auto& each : models::paper_steps()) {
        all.steps.push_back({{models::transition_of(each.fired), ""}});
    }
    return all;
}

void print_matrix(const char* name, const models::matrix& rows) {
    std::printf("%s\n", name);
    for (const auto& row : rows) {
        for (const auto each : row) std::printf(" %4d", each);
        std::puts("");
    }
}

void print_head(std::size_t cores) {
    std::printf("%4s  %-40s", "S", "S.T");
    for (std::size_t core = 1; core <= cores; ++core) std::printf("   C%zu", core);
    std::printf(" %4s\n", "L");
}

void print_line(std::size_t number, const std::string& fired, const models::list_sizes& sizes,
                std::size_t leaves) {
    std::printf("%4zu  %-40s", number, fired.c_str());
    for (const std::size_t each : sizes) std::printf(" %4zu", each);
    std::printf(" %4zu\n", leaves);
}

void print_steps(const std::vector<models::run_step>& steps) {
    print_head(steps.front().sizes.size());
    models::list_sizes start(steps.front().sizes.size(), 0);
    start.front() = 1;
    print_line(0, "", start, 0);
    std::size_t number = 0;
    for (const auto& each : steps)
        print_line(++number, models::paper_name_of(each.fired), each.sizes, each.leaves);
}

void print_groups(const std::vector<models::run_step>& steps,
                  std::span<const models::paper_group> groups) {
    print_head(steps.front().sizes.size());
    std::size_t number = 0;
    for (const auto& group : groups) {
        std::string fired;
        for (std::size_t each = group.first; each <= group.last; ++each) {
            if (!fired.empty()) fired += ' ';
            fired += models::paper_name_of(steps[each - 1].fired);
        }
        const auto& last = steps[group.last - 1];
        print_line(++number, fired, last.sizes, last.leaves);
    }
}

void print_counts(const std::vector<models::run_step>& steps, std::size_t groups) {
    const auto kinds = models::count_kinds(steps);
    std::printf("%zu steps: %zu of MSS, %zu that make normal threads, %zu that make leaves, %zu of "
                "multipliers\n",
                steps.size(), kinds[0], kinds[1], kinds[2], kinds[3]);
    std::printf("%zu concurrent groups at least\n", groups);
}

json steps_json(const std::vector<models::run_step>& steps,
                std::span<const models::paper_group> groups) {
    json all = json::array();
    for (const auto& each : steps) {
        all.push_back({{"fired", models::paper_name_of(each.fired)},
                       {"sizes", each.sizes},
                       {"leaves", each.leaves}});
    }
    json cut = json::array();
    for (const auto& each : groups) cut.push_back({each.first, each.last});
    return {{"steps", all}, {"groups", cut}};
}

/// Writes the result as JSON if --json is given; otherwise calls `print`.
template <class Print>
int write_or_print(const arguments& request, const json& result, Print print) {
    if (const auto file = request.value("--json")) write_json(*file, result);
    else print();
    return success;
}

/// The table is computed by firing the net, not copied.
int print_table(const std::string& table, const arguments& request) {
    models::multi_stealing<models::matrix_product> model{models::paper_product()};
    petri::simulation run{model.net()};
    run.replay(paper_trace());
    if (table == "1") {
        const auto product = models::paper_product();
        const auto result = run.view().one(model.solution());
        return write_or_print(request, {{"A", product.a}, {"B", product.b}, {"C", result}}, [&] {
            print_matrix("A", product.a);
            print_matrix("B", product.b);
            print_matrix("C", result);
        });
    }
    const auto steps = models::steps_of(model, paper_trace());
    const auto fewest = models::fewest_groups(steps);
    const bool grouped = table == "2B" || table == "2-B";
    if (!grouped && table != "2A" && table != "2-A") {
        throw usage_error{"--table takes one of the tables 1, 2A and 2B, and not '" + table + "'"};
    }
    return write_or_print(request, steps_json(steps, models::paper_groups()), [&] {
        if (grouped) print_groups(steps, models::paper_groups());
        else print_steps(steps);
        print_counts(steps, fewest.size());
    });
}

struct named_rule {
    const char* name;
    void (*apply)(std::span<std::size_t>);
};
constexpr std::array<named_rule, 5> rules{{{"multi stealing", balance::multi_steal},
                                           {"the rejected rule", sim::spread_evenly},
                                           {"fewest moves", balance::balance_least},
                                           {"partial multi stealing", sim::partial_multi_steal},
                                           {"single stealing", sim::single_steal}}};

void print_sizes(const char* name, const std::vector<std::size_t>& sizes) {
    std::printf("  %-24s", name);
    for (const std::size_t each : sizes) std::printf(" %zu", each);
}

int print_rules(const std::vector<std::size_t>& sizes, const arguments& request) {
    json result{
        {"before", sizes}, {"would_act", balance::needs_balance(sizes)}, {"rules", json::array()}};
    std::vector<std::pair<const char*, std::vector<std::size_t>>> made;
    for (const named_rule& each : rules) {
        std::vector<std::size_t> after = sizes;
        each.apply(after);
        result["rules"].push_back(
            {{"name", each.name}, {"after", after}, {"moves", sim::moved_between(sizes, after)}});
        made.emplace_back(each.name, std::move(after));
    }
    return write_or_print(request, result, [&] {
        print_sizes("before", sizes);
        std::printf("   %s\n", balance::needs_balance(sizes)
                                   ? "a core is idle, another has work to give"
                                   : "MSS would not act");
        for (const auto& [name, after] : made) {
            print_sizes(name, after);
            std::printf("   moves %zu\n", sim::moved_between(sizes, after));
        }
    });
}

int print_run(const arguments& request) {
    auto model = make_model(request);
    petri::trace taken;
    if (const auto file = request.value("--group")) {
        taken = petri::read_trace(read_whole_file(*file));
    } else {
        petri::simulation run{model.net(), request.number("--seed", 1, 0, ~std::uint64_t{0})};
        run.run(10'000'000);
        taken = run.taken();
        for (auto& line : taken.steps) line.front().values.clear();
    }
    if (taken.steps.empty()) throw usage_error{"the trace is empty"};
    const auto steps = models::steps_of(model, taken);
    const auto groups = models::fewest_groups(steps);
    petri::simulation again{model.net()};
    again.replay(taken);
    const models::matrix& product = again.view().one(model.solution());
    json result = steps_json(steps, groups);
    result["C"] = product;
    return write_or_print(request, result, [&] {
        print_groups(steps, groups);
        print_counts(steps, groups.size());
        print_matrix("C", product);
    });
}

std::string examples() {
    return "Examples:\n"
           "  weft mss --table 2A            prints the paper's run as its table 2A\n"
           "  weft mss --rules               compares the paper's rule with the one it rejects\n"
           "  weft mss --sizes 4,0,0         applies each rule to queues of these sizes\n"
           "  weft mss --run --net 6x6x6:4   cuts another run into concurrent groups\n"
           "  weft mss --run --a a.txt --b b.txt --cores 8 --children 16\n"
           "                                 multiplies the matrices in two files\n"
           "  weft mss --experiment --page experiment.html\n"
           "                                 counts steps for many numbers of cores and children";
}

/// An option that would have no effect is an error.
void refuse_useless(const arguments& request) {
    const bool experiments = request.has("--experiment");
    const bool runs = experiments || request.has("--run") || request.has("--group");
    for (const char* each : {"--net", "--a", "--b", "--cores", "--children"}) {
        if (request.has(each) && !runs) {
            throw usage_error{std::string{each} + " needs --run, --group or --experiment"};
        }
    }
    if (request.has("--seed") && !request.has("--run")) throw usage_error{"--seed needs --run"};
    for (const char* each : {"--runs", "--page"}) {
        if (request.has(each) && !experiments)
            throw usage_error{std::string{each} + " needs --experiment"};
    }
}

int run_mss(const arguments& request) {
    refuse_useless(request);
    if (const auto table = request.value("--table")) return print_table(*table, request);
    if (request.has("--sizes")) {
        return print_rules(request.numbers("--sizes", "", 0, 1'000'000), request);
    }
    if (request.has("--rules")) return print_rules({1, 0, 0, 0, 0, 0, 2, 3}, request);
    if (request.has("--experiment")) return run_experiment(product_of(request).product, request);
    if (request.has("--run") || request.has("--group")) return print_run(request);
    if (request.empty()) {
        std::puts(examples().c_str());
        return success;
    }
    throw usage_error{
        "mss needs one of --table, --rules, --sizes, --run, --group and --experiment"};
}

} // namespace

command mss_command() {
    return {
        "mss",
        "Reproduces the tables of the paper on the Multi Stealing Scheduler",
        "",
        {{"--table", "1|2A|2B", "prints the paper's run as this table"},
         {"--rules", "", "applies each rule to the sizes of the paper's example"},
         {"--sizes", "N,...", "applies each rule to queues of these sizes"},
         {"--run", "", "cuts a random run into concurrent groups"},
         {"--seed", "N", "the seed of --run; default 1"},
         {"--group", "TRACE", "cuts the run in a trace file into concurrent groups"},
         {"--net", "MxNxP:CORES",
          "the product to compute and the cores; default 4x5x6:3, the paper's"},
         {"--a", "FILE", "with --b: multiplies the matrices in two text files, a row on each line"},
         {"--b", "FILE", "the second matrix"},
         {"--cores", "N,...", "the cores, if --net does not name them; --experiment takes several"},
         {"--children", "2|4|8|16",
          "the most threads that one firing makes; default 4; --experiment takes several"},
         {"--experiment", "",
          "counts steps for numbers of cores and children; of --net it takes the product"},
         {"--runs", "N", "the runs for each point of --experiment; default 20"},
         {"--page", "FILE", "writes the experiment as an HTML page with plots"},
         json_option},
        run_mss,
        examples};
}

} // namespace weft::cli
