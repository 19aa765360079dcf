#include "petri/bag.hpp"

#include <algorithm>
#include <utility>

namespace weft::petri {

std::span<const counted> bag_table::elements(content of, counted& one) const {
    if (of == empty) return {};
    if (is_single(of)) {
        one = {single_colour(of), 1};
        return {&one, 1};
    }
    return *bags_[(of >> 1U) - 1];
}

std::uint64_t bag_table::size(content of) const {
    counted one{};
    std::uint64_t sum = 0;
    for (const counted& each : elements(of, one)) sum += each.count;
    return sum;
}

std::uint32_t bag_table::count(content of, colour_id colour) const {
    counted one{};
    const auto all = elements(of, one);
    const auto found = std::ranges::lower_bound(all, colour, {}, &counted::colour);
    return found != all.end() && found->colour == colour ? found->count : 0;
}

bool bag_table::includes(content whole, content part) const {
    counted one{};
    return std::ranges::all_of(elements(part, one), [&](const counted& each) {
        return count(whole, each.colour) >= each.count;
    });
}

content bag_table::add(content to, colour_id colour, std::uint32_t count) {
    if (count == 0) return to;
    if (to == empty && count == 1) return single(colour);
    counted one{};
    const auto before = elements(to, one);
    std::vector<counted> bag{before.begin(), before.end()};
    const auto at = std::ranges::lower_bound(bag, colour, {}, &counted::colour);
    if (at != bag.end() && at->colour == colour) at->count += count;
    else bag.insert(at, {colour, count});
    return number_of(std::move(bag));
}

content bag_table::remove(content from, colour_id colour, std::uint32_t count) {
    if (count == 0) return from;
    if (is_single(from)) return empty;
    counted one{};
    const auto before = elements(from, one);
    std::vector<counted> bag{before.begin(), before.end()};
    const auto at = std::ranges::lower_bound(bag, colour, {}, &counted::colour);
    at->count -= count;
    if (at->count == 0) bag.erase(at);
    if (bag.empty()) return empty;
    if (bag.size() == 1 && bag.front().count == 1) return single(bag.front().colour);
    return number_of(std::move(bag));
}

content bag_table::number_of(std::vector<counted> bag) {
    const auto next = static_cast<content>((bags_.size() + 1) << 1U);
    const std::size_t size = bag.size();
    const auto [at, is_new] = numbers_.try_emplace(std::move(bag), next);
    if (is_new) {
        bags_.push_back(&at->first);
        bytes_ += size * sizeof(counted) + 96;
    }
    return at->second;
}

} // namespace weft::petri
