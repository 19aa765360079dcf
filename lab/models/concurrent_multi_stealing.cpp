#include "models/concurrent_multi_stealing.hpp"

#include "balance/plan.hpp"

#include <string>

namespace weft::models {

namespace {

using thread_list = concurrent_multi_stealing::thread_list;

std::vector<thread_list> balanced(const petri::token_view<thread_list>& views) {
    auto lists = views.copy();
    std::size_t total = 0;
    for (const thread_list& each : lists) total += each.size();
    multi_steal(lists, balance::quota_of(total, lists.size()));
    return lists;
}

thread_list divided(const matrix_product& problem, const thread_list& own) {
    auto made = problem.divide(own.front()).threads;
    made.insert(made.end(), own.begin() + 1, own.end());
    return made;
}

} // namespace

concurrent_multi_stealing::concurrent_multi_stealing(const matrix_product& problem,
                                                     std::size_t cores) {
    const petri::page main = net_.main_page();
    for (std::size_t core = 0; core != cores; ++core) {
        const std::string number = std::to_string(core + 1);
        const thread_list own = core == 0 ? thread_list{problem.root()} : thread_list{};
        lists_.push_back(main.add_place<thread_list>("List " + number, {own}));
        sizes_.push_back(main.add_place<std::size_t>("Size " + number, {own.size()}));
    }
    leaves_ = main.add_place<leaf_thread>("Leaves");
    a_ = main.add_place<matrix>("A", {problem.a});
    b_ = main.add_place<matrix>("B", {problem.b});
    cells_ = main.add_place<cell>("Cells");
    add_balancing();
    for (std::size_t core = 0; core != cores; ++core) add_core(problem, core);
}

void concurrent_multi_stealing::add_balancing() {
    const auto made =
        net_.add_transition("MSS")
            .take_each(sizes_)
            .when([](const auto& sizes) { return balance::needs_balance(sizes.copy()); })
            .take_each(lists_);
    for (std::size_t core = 0; core != lists_.size(); ++core) {
        made.put(lists_[core],
                 [core](const auto&, const auto& lists) { return balanced(lists)[core]; });
        made.put(sizes_[core],
                 [core](const auto&, const auto& lists) { return balanced(lists)[core].size(); });
    }
}

void concurrent_multi_stealing::add_core(const matrix_product& problem, std::size_t core) {
    const petri::page page = net_.main_page().substitute("Core" + std::to_string(core + 1));
    std::vector<petri::place<std::size_t>> others = sizes_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(core));
    page.add_transition("LTS")
        .take(lists_[core])
        .when([](const thread_list& own) { return !own.empty(); })
        .take(sizes_[core])
        .read_each(others)
        .when([](const thread_list&, std::size_t own, const auto& sizes) {
            auto all = sizes.copy();
            all.push_back(own);
            return !balance::needs_balance(all);
        })
        .put(lists_[core],
             [problem](const thread_list& own, const auto&...) { return divided(problem, own); })
        .put(sizes_[core], [problem](const thread_list& own,
                                     const auto&...) { return divided(problem, own).size(); })
        .put(leaves_, [problem](const thread_list& own, const auto&...) {
            return problem.divide(own.front()).leaves;
        });
    // Taken and put back: one binding element at a time can have it.
    const auto free = page.add_place("Free", 1);
    page.add_transition("Multiplier")
        .take(free)
        .read_each(sizes_)
        .when([](const auto& sizes) { return !balance::needs_balance(sizes.copy()); })
        .read(a_)
        .read(b_)
        .take(leaves_)
        .put(free)
        .put(cells_, [](const auto&, const matrix& a, const matrix& b, const leaf_thread& leaf) {
            const matrix zero(a.size(), std::vector<std::int32_t>(b.front().size(), 0));
            const matrix solved = matrix_product::solve(a, b, zero, leaf);
            return cell{leaf.row, leaf.column,
                        solved[static_cast<std::size_t>(leaf.row) - 1]
                              [static_cast<std::size_t>(leaf.column) - 1]};
        });
}

} // namespace weft::models
