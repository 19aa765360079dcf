// weft mss: the Multi Stealing Scheduler's paper, table by table.
#include "arguments.hpp"

#include "balance/plan.hpp"
#include "models/builtin.hpp"
#include "models/run_groups.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

namespace {

constexpr std::array<std::string_view, 5> valued{"--table", "--group", "--sizes", "--seed",
                                                 "--net"};
constexpr std::array<std::string_view, 3> flags{"--run", "--rules", "--help"};

void print_usage() {
    std::puts(
        "usage: weft mss --table 1|2A|2B        the paper's run, printed as its table\n"
        "       weft mss --rules                the rule that the paper rejects, beside its own\n"
        "       weft mss --sizes 4,0,0          what each rule makes of these sizes\n"
        "       weft mss --run [--seed N]       a run at random, cut into concurrent groups\n"
        "       weft mss --group TRACE          a run from a file, cut into concurrent groups\n"
        "  --net MxNxP:CORES                    for another product; the paper's is 4x5x6:3");
}

models::multi_stealing<models::matrix_product> make_model(const arguments& how) {
    const auto text = how.value("--net").value_or("4x5x6:3");
    const auto sizes = models::read_matrix_sizes(text);
    const auto product = text == "4x5x6:3"
                             ? models::paper_product()
                             : models::matrix_product::of_sizes(sizes.m, sizes.n, sizes.p);
    return models::multi_stealing<models::matrix_product>{product, {.cores = sizes.cores}};
}

petri::trace paper_trace() {
    petri::trace all;
    for (const auto& each : models::paper_steps()) {
        all.steps.push_back({{models::transition_of(each.fired), ""}});
    }
    return all;
}

void print_matrix(const char* name, const models::matrix& of) {
    std::printf("%s\n", name);
    for (const auto& row : of) {
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

/// The table is found by firing the net, not copied.
int print_table(const std::string& which) {
    models::multi_stealing<models::matrix_product> model{models::paper_product()};
    petri::simulation run{model.net()};
    run.replay(paper_trace());
    if (which == "1") {
        print_matrix("A", models::paper_product().a);
        print_matrix("B", models::paper_product().b);
        print_matrix("C", run.view().one(model.solution()));
        return 0;
    }
    const auto steps = models::steps_of(model, paper_trace());
    const auto fewest = models::fewest_groups(steps).size();
    if (which == "2A" || which == "2-A") print_steps(steps);
    else if (which == "2B" || which == "2-B") print_groups(steps, models::paper_groups());
    else throw usage_error{"the paper has the tables 1, 2A and 2B, and not '" + which + "'"};
    print_counts(steps, fewest);
    return 0;
}

std::vector<std::size_t> read_sizes(const std::string& text) {
    std::vector<std::size_t> sizes;
    for (std::size_t from = 0; from <= text.size();) {
        const auto comma = std::min(text.find(',', from), text.size());
        std::size_t size = 0;
        const char* end = text.data() + comma;
        const auto [rest, failed] = std::from_chars(text.data() + from, end, size);
        if (failed != std::errc{} || rest != end || size > 1'000'000) {
            throw usage_error{"'" + text + "' is no list of sizes such as 4,0,0"};
        }
        sizes.push_back(size);
        from = comma + 1;
    }
    return sizes;
}

void print_rule(const char* name, const std::vector<std::size_t>& before,
                void (*rule)(std::span<std::size_t>)) {
    std::vector<std::size_t> after = before;
    rule(after);
    std::printf("  %-24s", name);
    for (const std::size_t each : after) std::printf(" %zu", each);
    std::printf("   moves %zu\n", balance::moved_between(before, after));
}

int print_rules(const std::vector<std::size_t>& sizes) {
    std::printf("  %-24s", "before");
    for (const std::size_t each : sizes) std::printf(" %zu", each);
    std::printf("   %s\n", balance::needs_balance(sizes) ? "somebody idle, somebody rich"
                                                         : "MSS would not act");
    print_rule("multi stealing", sizes, balance::multi_steal);
    print_rule("the rejected rule", sizes, balance::spread_evenly);
    print_rule("fewest moves", sizes, balance::balance_least);
    print_rule("partial multi stealing", sizes, balance::partial_multi_steal);
    print_rule("single stealing", sizes, balance::single_steal);
    return 0;
}

int print_run(const arguments& how) {
    auto model = make_model(how);
    petri::trace taken;
    if (const auto file = how.value("--group")) {
        taken = petri::read_trace(read_whole_file(*file));
    } else {
        petri::simulation run{model.net(), how.number("--seed", 1, 0, ~std::uint64_t{0})};
        run.run(10'000'000);
        taken = run.taken();
        for (auto& line : taken.steps) line.front().values.clear();
    }
    if (taken.steps.empty()) throw usage_error{"the trace is empty"};
    const auto steps = models::steps_of(model, taken);
    const auto groups = models::fewest_groups(steps);
    print_groups(steps, groups);
    print_counts(steps, groups.size());
    return 0;
}

} // namespace

int run_mss(std::span<const char* const> words) {
    const arguments how{words, valued, flags};
    if (!how.plain().empty()) throw usage_error{"mss does not know '" + how.plain().front() + "'"};
    if (const auto table = how.value("--table")) return print_table(*table);
    if (const auto sizes = how.value("--sizes")) return print_rules(read_sizes(*sizes));
    if (how.has("--rules")) return print_rules({1, 0, 0, 0, 0, 0, 2, 3});
    if (how.has("--run") || how.has("--group")) return print_run(how);
    print_usage();
    return how.has("--help") || words.empty() ? 0 : 2;
}

} // namespace weft::cli
