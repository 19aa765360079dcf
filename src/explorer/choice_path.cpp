#include "explorer/choice_path.hpp"

#include <charconv>

namespace weft::inline v0::explorer::detail {

bool choice_path::advance() {
    while (!decisions_.empty()) {
        decision& last = decisions_.back();
        if (++last.chosen < last.alternatives) {
            rewind();
            return true;
        }
        decisions_.pop_back();
    }
    return false;
}

std::string choice_path::text() const {
    std::string text;
    std::size_t firsts = 0;
    for (const decision& each : decisions_) {
        if (each.chosen == 0) {
            ++firsts;
            continue;
        }
        if (!text.empty()) text += '.';
        text += std::to_string(firsts) + '.' + std::to_string(each.chosen);
        firsts = 0;
    }
    return text.empty() ? "0" : text;
}

bool choice_path::parse(std::string_view text) {
    clear();
    std::vector<unsigned> numbers;
    const char* position = text.data();
    const char* const end = text.data() + text.size();
    for (;;) {
        unsigned number = 0;
        const auto [rest, error] = std::from_chars(position, end, number);
        constexpr unsigned largest = 0xffff;
        if (error != std::errc{} || number > largest) return false;
        numbers.push_back(number);
        if (rest == end) break;
        if (*rest != '.') return false;
        position = rest + 1;
    }
    if (numbers.size() % 2 != 0) return numbers.size() == 1 && numbers.front() == 0;
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
        decisions_.insert(decisions_.end(), numbers[i], decision{0, 1});
        decisions_.push_back({narrow(numbers[i + 1]), 1});
    }
    return true;
}

} // namespace weft::inline v0::explorer::detail
