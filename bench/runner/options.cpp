#include "runner/options.hpp"

#include <weft/pool.hpp>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <sstream>
#include <string_view>

namespace bench {

namespace {

/// How many insertions, deletions and replacements of a character lead from one to the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

const workload& find_workload(std::string_view name) {
    const auto& all = workloads();
    const auto found = std::ranges::find(all, name, &workload::name);
    if (found != all.end()) return *found;
    const auto nearest = std::ranges::min_element(
        all, {}, [&](const workload& each) { return edit_distance(name, each.name); });
    throw usage_error{"there is no workload '" + std::string{name} + "'; did you mean '" +
                      std::string{nearest->name} + "'?"};
}

std::size_t read_count(std::string_view option, std::string_view text, std::size_t most) {
    std::size_t count = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (failed != std::errc{} || end != text.data() + text.size() || count < 1 || count > most) {
        throw usage_error{std::string{option} + " takes numbers from 1 to " + std::to_string(most) +
                          ", not '" + std::string{text} + "'"};
    }
    return count;
}

std::vector<std::size_t> read_threads(std::string_view text) {
    std::vector<std::size_t> counts;
    for (;;) {
        const std::size_t comma = text.find(',');
        const std::size_t count = read_count("--threads", text.substr(0, comma), most_threads);
        if (std::ranges::find(counts, count) == counts.end()) counts.push_back(count);
        if (comma == std::string_view::npos) return counts;
        text.remove_prefix(comma + 1);
    }
}

std::vector<std::size_t> usual_threads() {
    const std::size_t all = std::min(weft::usable_cpus(), most_threads);
    return all == 1 ? std::vector<std::size_t>{1} : std::vector<std::size_t>{1, all};
}

void add_workload(options& how, std::string_view name) {
    if (name == "all") how.workloads = workloads();
    else how.workloads.push_back(find_workload(name));
}

} // namespace

std::vector<std::size_t> threads_for(const workload& which, const options& how) {
    if (!how.threads.empty()) return how.threads;
    return which.threads.empty() ? usual_threads() : which.threads;
}

options read_options(std::span<char* const> arguments) {
    options how;
    for (std::size_t next = 0; next != arguments.size(); ++next) {
        const std::string_view word = arguments[next];
        const auto value = [&]() -> std::string_view {
            if (++next == arguments.size()) {
                throw usage_error{std::string{word} + " needs a value"};
            }
            return arguments[next];
        };
        if (word == "--help" || word == "-h") how.help = true;
        else if (word == "--list") how.list = true;
        else if (word == "--full") how.full = true;
        else if (word == "--json") how.json = value();
        else if (word == "--repeat") how.repeats = read_count(word, value(), 1000);
        else if (word == "--threads") how.threads = read_threads(value());
        else if (word.starts_with('-'))
            throw usage_error{"there is no option " + std::string{word}};
        else add_workload(how, word);
    }
    if (how.workloads.empty() && !how.help && !how.list) {
        throw usage_error{"which workload? --list names them; 'all' runs them all"};
    }
    return how;
}

std::string usage() {
    std::ostringstream text;
    text << "usage: ./weft bench WORKLOAD... [options]\n\n"
            "  --threads 1,2   numbers of threads, up to "
         << most_threads
         << "; otherwise 1 and the usable CPUs, or\n"
            "                  what the workload is about\n"
            "  --repeat N      runs of each, of which the median is told\n"
            "  --full          every size, and as large for all libraries\n"
            "  --json FILE     the figures, for programs; - for standard output\n"
            "  --list          names the workloads; 'all' runs them all\n";
    return text.str();
}

} // namespace bench
