#include <weft/detail/petri/bag.hpp>

#include <weft/lab/error.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace weft::inline v0::petri {

std::span<const counted> bag_table::elements(content bag, counted& room) const {
    if (bag == empty) return {};
    if (is_single(bag)) {
        room = {single_colour(bag), 1};
        return {&room, 1};
    }
    return *bags_[(bag >> 1U) - 1];
}

std::uint64_t bag_table::size(content bag) const {
    counted room{};
    std::uint64_t sum = 0;
    for (const counted& each : elements(bag, room)) sum += each.count;
    return sum;
}

std::uint32_t bag_table::count(content bag, colour_id colour) const {
    counted room{};
    const auto all = elements(bag, room);
    const auto found = std::ranges::lower_bound(all, colour, {}, &counted::colour);
    return found != all.end() && found->colour == colour ? found->count : 0;
}

bool bag_table::includes(content whole, content part) const {
    counted room{};
    return std::ranges::all_of(elements(part, room), [&](const counted& each) {
        return count(whole, each.colour) >= each.count;
    });
}

content bag_table::add(content bag, colour_id colour, std::uint32_t count) {
    if (count == 0) return bag;
    if (bag == empty && count == 1) return single(colour);
    counted room{};
    const auto before = elements(bag, room);
    std::vector<counted> counts{before.begin(), before.end()};
    const auto position = std::ranges::lower_bound(counts, colour, {}, &counted::colour);
    if (position != counts.end() && position->colour == colour) {
        if (count > std::numeric_limits<std::uint32_t>::max() - position->count)
            throw error{fault::overflow, "more than 4294967295 equal tokens in a place"};
        position->count += count;
    } else {
        counts.insert(position, {colour, count});
    }
    return number_of(std::move(counts));
}

content bag_table::remove(content bag, colour_id colour, std::uint32_t count) {
    if (count == 0) return bag;
    if (is_single(bag)) return empty;
    counted room{};
    const auto before = elements(bag, room);
    std::vector<counted> counts{before.begin(), before.end()};
    const auto position = std::ranges::lower_bound(counts, colour, {}, &counted::colour);
    position->count -= count;
    if (position->count == 0) counts.erase(position);
    if (counts.empty()) return empty;
    if (counts.size() == 1 && counts.front().count == 1) return single(counts.front().colour);
    return number_of(std::move(counts));
}

content bag_table::number_of(std::vector<counted> counts) {
    const auto next = static_cast<content>((bags_.size() + 1) << 1U);
    const std::size_t size = counts.size();
    const auto [entry, is_new] = numbers_.try_emplace(std::move(counts), next);
    if (is_new) {
        bags_.push_back(&entry->first);
        bytes_ += size * sizeof(counted) + 96;
    }
    return entry->second;
}

} // namespace weft::inline v0::petri
