#include "stage/circle_search.hpp"

#include "stage/stage_group_core.hpp"

#include <algorithm>
#include <utility>

namespace weft::inline v0::detail {

std::string circle_search::find() {
    // Circles of more than one group are not searched for: a stage of another one may end.
    if (&pusher_.group() != &target_.group()) return {};
    std::vector<stage_seen> first;
    if (!collect(first)) return {};
    std::vector<stage_seen> second;
    // Looks again after a change: it may be a push that failed, of a run that still waits.
    for (;;) {
        if (!collect(second)) return {};
        if (first == second) break;
        first = std::move(second);
        second.clear();
    }
    remove_those_that_go_on(second);
    if (!is_in(second, target_.index())) return {};
    return describe(second);
}

/// False if the target is not stuck.
bool circle_search::collect(std::vector<stage_seen>& found) const {
    std::vector<std::uint32_t> left{target_.index()};
    while (!left.empty()) {
        const std::uint32_t index = left.back();
        left.pop_back();
        if (is_in(found, index)) continue;
        const stage_core& stage = target_.group().stage_at(index);
        stage_seen seen{&stage, 0, {}};
        if (!is_stuck(stage, seen)) {
            if (index == target_.index()) return false;
            continue;
        }
        for (const run_seen& each : seen.runs) {
            for (const std::uint64_t word : each.words) left.push_back(debt_word{word}.target());
        }
        found.push_back(std::move(seen));
    }
    return true;
}

bool circle_search::is_stuck(const stage_core& stage, stage_seen& seen) {
    seen.active = stage.active_.load(sync::relaxed);
    // A place of the budget is free: what is queued may begin, and so may what is pushed. An item
    // that waits for another one of its key waits for one that runs, or that may begin.
    if (seen.active == 0 || seen.active < stage.budget()) return false;
    for (const parked_run* each = stage.first_record(); each != nullptr; each = each->next_made) {
        run_seen run{each, {}};
        for (const debt_slot& slot : each->slots) {
            // acquire, pairs with announce(): that there is such a stage [PARKED-6]
            const debt_word word{slot.word.load(sync::acquire)};
            if (word.count() != 0) run.words.push_back(word.value());
        }
        if (!run.words.empty()) seen.runs.push_back(std::move(run));
    }
    return seen.runs.size() >= seen.active;
}

void circle_search::remove_those_that_go_on(std::vector<stage_seen>& found) {
    const auto goes_on = [&](const stage_seen& stage) {
        return std::ranges::any_of(stage.runs, [&](const run_seen& run) {
            return std::ranges::none_of(run.words, [&](std::uint64_t word) {
                return is_in(found, debt_word{word}.target());
            });
        });
    };
    for (;;) {
        const auto one = std::ranges::find_if(found, goes_on);
        if (one == found.end()) return;
        found.erase(one);
    }
}

bool circle_search::is_in(const std::vector<stage_seen>& found, std::uint32_t index) {
    return std::ranges::any_of(
        found, [&](const stage_seen& each) { return each.stage->index() == index; });
}

/// From the target along one run of each stage, until a stage comes again; the circle is from
/// there.
std::string circle_search::describe(const std::vector<stage_seen>& found) const {
    std::vector<const stage_core*> path;
    const stage_core* reached = &target_;
    while (std::ranges::find(path, reached) == path.end()) {
        path.push_back(reached);
        const auto seen = std::ranges::find(found, reached, &stage_seen::stage);
        for (const std::uint64_t word : seen->runs.front().words) {
            if (!is_in(found, debt_word{word}.target())) continue;
            reached = &target_.group().stage_at(debt_word{word}.target());
            break;
        }
    }
    path.erase(path.begin(), std::ranges::find(path, reached));
    path.push_back(reached);
    std::string text;
    for (const stage_core* each : path) {
        if (!text.empty()) text += " -> ";
        text += each->settings().name;
    }
    return text;
}

} // namespace weft::inline v0::detail
