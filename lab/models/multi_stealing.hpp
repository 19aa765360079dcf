// The multi-stealing model as a coloured net: MSS, and on each core an LTS and a Multiplier with
// their guards.
#pragma once

#include "balance/plan.hpp"
#include "models/problems.hpp"
#include <weft/lab/net.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::models {

using list_sizes = std::vector<std::size_t>;

/// Multi-stealing on lists of threads, whose front is the top. Threads above the base are cut from
/// the top and prepended to the collection. Lists are filled from the front of the collection;
/// extra threads come from its end. The sizes are those of `balance::multi_steal`.
template <class T>
void multi_steal(std::vector<std::vector<T>>& lists, balance::quota quota) {
    std::vector<T> collected;
    const auto move_front = [](std::vector<T>& source, std::size_t count, std::vector<T>& target) {
        const auto end = source.begin() + static_cast<std::ptrdiff_t>(count);
        target.insert(target.begin(), source.begin(), end);
        source.erase(source.begin(), end);
    };
    for (std::vector<T>& each : lists) {
        if (each.size() > quota.base) move_front(each, each.size() - quota.base, collected);
    }
    for (std::vector<T>& each : lists) {
        const std::size_t lacking = quota.base - std::min(quota.base, each.size());
        move_front(collected, std::min(lacking, collected.size()), each);
        if (quota.extra == 0 || collected.empty()) continue;
        each.insert(each.begin(), std::move(collected.back()));
        collected.pop_back();
        --quota.extra;
    }
}

/// Variants of the model. The defaults are right; the literal readings of the paper show what goes
/// wrong.
struct multi_stealing_options {
    std::size_t cores = 3;
    bool literal_third_status = false; // a guard is closed if all lists are empty
    bool literal_extra = false;        // the remainder, even with fewer threads than cores
};

/// LTSGuard and MulGuard without their test of the core's own list: open unless MSS may fire.
[[nodiscard]] inline bool guard_open(const list_sizes& sizes,
                                     const multi_stealing_options& options) {
    if (options.literal_third_status &&
        std::ranges::all_of(sizes, [](std::size_t n) { return n == 0; })) {
        return false;
    }
    return !balance::needs_balance(sizes);
}

/// Hierarchical as in the paper: MSS on the main page, and a page for each core.
template <class Problem>
class multi_stealing {
public:
    using thread_list = std::vector<typename Problem::thread>;
    using leaf_list = std::vector<typename Problem::leaf>;
    using result = typename Problem::result;

    explicit multi_stealing(const Problem& problem, const multi_stealing_options& options = {})
        : options_{options} {
        const petri::page main = net_.main_page();
        list_sizes start(options.cores, 0);
        for (std::size_t core = 0; core != options.cores; ++core) {
            const thread_list own = core == 0 ? thread_list{problem.root()} : thread_list{};
            lists_.push_back(
                main.add_place<thread_list>("List " + std::to_string(core + 1), {own}));
            start[core] = own.size();
        }
        sizes_ = main.add_fusion<list_sizes>("GuardsValue", {start});
        leaves_ = main.add_fusion<leaf_list>("LeafLevel", {{}});
        if constexpr (has_inputs) {
            a_ = main.add_fusion<matrix>("A", {problem.a});
            b_ = main.add_fusion<matrix>("B", {problem.b});
        }
        result_ = main.add_fusion<result>("C", {problem.start()});
        add_balancing(main);
        for (std::size_t core = 0; core != options.cores; ++core) add_core(main, problem, core);
    }

    [[nodiscard]] petri::net& net() { return net_; }
    [[nodiscard]] petri::transition_index balancing() const { return balancing_; }
    [[nodiscard]] const std::vector<petri::place<thread_list>>& lists() const { return lists_; }
    [[nodiscard]] petri::place<list_sizes> sizes() const { return sizes_; }
    [[nodiscard]] petri::place<leaf_list> leaves() const { return leaves_; }
    [[nodiscard]] petri::place<result> solution() const { return result_; }

private:
    static constexpr bool has_inputs = requires(const Problem& problem) { problem.a; };

    void add_balancing(const petri::page& page) {
        const auto balanced = [options = options_](const petri::token_view<thread_list>& views) {
            auto lists = views.copy();
            std::size_t total = 0;
            for (const thread_list& each : lists) total += each.size();
            balance::quota quota = balance::quota_of(total, options.cores);
            if (options.literal_extra) quota.extra = total % options.cores;
            multi_steal(lists, quota);
            return lists;
        };
        auto made =
            page.add_transition("MSS").take(sizes_).when(balance::needs_balance).take_each(lists_);
        balancing_ = made.index();
        for (std::size_t core = 0; core != options_.cores; ++core) {
            made.put(lists_[core], [balanced, core](const list_sizes&, const auto& lists) {
                return balanced(lists)[core];
            });
        }
        made.put(sizes_, [balanced](const list_sizes&, const auto& lists) {
            list_sizes after;
            for (const thread_list& each : balanced(lists)) after.push_back(each.size());
            return after;
        });
    }

    void add_core(const petri::page& main, const Problem& problem, std::size_t core) {
        const petri::page page = main.substitute("Core" + std::to_string(core + 1));
        const auto list = page.add_port("List", lists_[core]);
        const auto sizes = page.add_fusion<list_sizes>("GuardsValue");
        const auto leaves = page.add_fusion<leaf_list>("LeafLevel");
        const auto open = [options = options_](const auto& own, const list_sizes& now) {
            return !own.empty() && guard_open(now, options);
        };
        const auto divided = [problem](const thread_list& own) {
            auto made = problem.divide(own.front());
            made.threads.insert(made.threads.end(), own.begin() + 1, own.end());
            return made;
        };
        page.add_transition("LTS")
            .take(list)
            .take(sizes)
            .when(open)
            .take(leaves)
            .put(list,
                 [divided](const thread_list& own, const auto&...) { return divided(own).threads; })
            .put(leaves,
                 [divided](const thread_list& own, const list_sizes&, leaf_list all) {
                     const auto made = divided(own).leaves;
                     all.insert(all.end(), made.begin(), made.end());
                     return all;
                 })
            .put(sizes, [divided, core](const thread_list& own, list_sizes now, const leaf_list&) {
                now[core] = divided(own).threads.size();
                return now;
            });
        add_multiplier(page, problem, open);
    }

    template <class Open>
    void add_multiplier(const petri::page& page, const Problem& problem, const Open& open) {
        const auto leaves = page.add_fusion<leaf_list>("LeafLevel");
        const auto solution = page.add_fusion<result>("C");
        const auto rest = [](const leaf_list& all, const auto&...) {
            return leaf_list{all.begin() + 1, all.end()};
        };
        const auto made = page.add_transition("Multiplier")
                              .take(leaves)
                              .read(page.add_fusion<list_sizes>("GuardsValue"))
                              .when(open)
                              .put(leaves, rest)
                              .take(solution);
        if constexpr (has_inputs) {
            made.read(page.add_fusion<matrix>("A"))
                .read(page.add_fusion<matrix>("B"))
                .put(solution, [](const leaf_list& all, const list_sizes&, const matrix& so_far,
                                  const matrix& a, const matrix& b) {
                    return matrix_product::solve(a, b, so_far, all.front());
                });
        } else {
            made.put(solution,
                     [problem](const leaf_list& all, const list_sizes&, const result& so_far) {
                         return problem.solve(so_far, all.front());
                     });
        }
    }

    multi_stealing_options options_;
    petri::net net_;
    std::vector<petri::place<thread_list>> lists_;
    petri::place<list_sizes> sizes_;
    petri::place<leaf_list> leaves_;
    petri::place<matrix> a_;
    petri::place<matrix> b_;
    petri::place<result> result_;
    petri::transition_index balancing_ = 0;
};

} // namespace weft::models
