#include <weft/explorer/explore.hpp>

#include "explorer/engine.hpp"

#include <weft/error.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

namespace weft::inline v0::explorer {
namespace {

using detail::engine;
using detail::search;

std::string bounds_in_words(const options& how) {
    std::string text = how.memory == memory_model::weak
                           ? "weak, " + std::to_string(how.stale_reads) + " stale reads"
                           : std::string{"sequential"};
    if (how.random_schedules > 0) text += ", random depth " + std::to_string(how.depth);
    else text += ", " + std::to_string(how.preemptions) + " preemptions";
    if (how.freeze) text += ", freezing";
    return text;
}

/// The text of WEFT_REPLAY if it is for this scenario.
std::string replay_from_environment(std::string_view name) {
    const char* value = std::getenv("WEFT_REPLAY"); // NOLINT(concurrency-mt-unsafe): only read
    if (value == nullptr) return {};
    const std::string_view text = value;
    const std::size_t equals = text.rfind('=');
    if (equals == std::string_view::npos || text.substr(0, equals) != name) return {};
    return std::string{text.substr(equals + 1)};
}

/// Of this thread. A machine that is busy with others, or stands still, takes nothing of what a search may use.
double cpu_seconds() {
    std::timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

class stopwatch {
public:
    [[nodiscard]] double seconds() const {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
        return passed.count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// What an execution's decisions depend on, and the decisions: "w2.1:5.1.12.2" for weak memory, two
/// stale reads, one timeout; "s" for sequential memory, "f" for freezing.
std::string replay_text(const options& how, const detail::choice_path& path) {
    std::string text = how.memory == memory_model::weak ? "w" : "s";
    text += std::to_string(how.stale_reads) + "." + std::to_string(how.timeouts);
    return text + (how.freeze ? "f:" : ":") + path.text();
}

/// Takes a number and the character behind it off the front; false if they are not there.
bool take_number(std::string_view& text, int& number, char behind) {
    const char* const begin = std::to_address(text.begin());
    const char* const end = begin + text.size();
    const auto [rest, error] = std::from_chars(begin, end, number);
    if (error != std::errc{} || number < 0 || rest == end || *rest != behind) return false;
    text.remove_prefix(static_cast<std::size_t>(rest - begin) + 1);
    return true;
}

/// The bounds of a replay text into `how`, leaving the decisions; false if it is none of ours.
bool read_bounds(std::string_view& text, options& how) {
    const bool weak = text.starts_with('w');
    if (!weak && !text.starts_with('s')) return false;
    text.remove_prefix(1);
    how.memory = weak ? memory_model::weak : memory_model::sequential;
    if (!take_number(text, how.stale_reads, '.')) return false;
    how.freeze = text.substr(0, text.find(':')).ends_with('f');
    if (!how.freeze) return take_number(text, how.timeouts, ':');
    if (!take_number(text, how.timeouts, 'f') || !text.starts_with(':')) return false;
    text.remove_prefix(1);
    return true;
}

/// The failed execution again, this time with its steps written down.
failure explain(engine& runner, const options& how, const std::function<void()>& scenario) {
    runner.path().rewind();
    const bool failed = !runner.run(scenario, search::replay, true);
    failure found = failed ? runner.take_failure()
                           : failure{.kind = failure_kind::misuse,
                                     .message = "an execution failed, but not when it was run "
                                                "again; something in the scenario depends on more "
                                                "than the explorer's decisions",
                                     .steps = {},
                                     .replay = {}};
    found.replay = replay_text(how, runner.path());
    return found;
}

void search_all(const options& how, const std::function<void()>& scenario,
                const detail::mutation& change, report& result) {
    engine runner{how, change};
    constexpr std::uint64_t look_at_clock_every = 256;
    const stopwatch watch;
    const double enough = cpu_seconds() + how.max_seconds;
    const bool random = how.random_schedules > 0;
    const std::uint64_t most =
        random ? std::min(how.random_schedules, how.max_executions) : how.max_executions;
    int longest = 0;
    for (;;) {
        if (random) {
            runner.path().clear();
            runner.random().start(result.executions, longest);
        }
        ++result.executions;
        const bool passed =
            runner.run(scenario, random ? search::random : search::depth_first, false);
        longest = std::max(longest, runner.steps());
        if (!passed) {
            result.failure = explain(runner, how, scenario);
            break;
        }
        if (!random && !runner.path().advance()) {
            result.exhaustive = true;
            break;
        }
        if (result.executions >= most) break;
        if (result.executions % look_at_clock_every == 0 && cpu_seconds() > enough) break;
    }
    result.seconds = watch.seconds();
}

void replay_one(options how, const std::string& text, const std::function<void()>& scenario,
                const detail::mutation& change, report& result) {
    std::string_view decisions = text;
    const bool read = read_bounds(decisions, how);
    engine runner{how, change};
    if (!read || !runner.path().parse(decisions)) {
        throw error{errc::invalid_argument, "weft::explorer::explore: replay text '" + text + "'"};
    }
    result.executions = 1;
    result.replayed = true;
    result.bounds = bounds_in_words(how);
    if (runner.run(scenario, search::replay, true)) return;
    result.failure = runner.take_failure();
    result.failure->replay = text;
}

void require_sensible(std::string_view name, const options& how) {
    constexpr int longest = 30'000; // clocks and history positions are 16 bits wide
    const bool fine = how.preemptions >= 0 && how.stale_reads >= 0 && how.timeouts >= 0 &&
                      how.depth >= 1 && how.max_steps >= 1 && how.max_steps <= longest;
    if (!fine) {
        throw error{errc::invalid_argument,
                    "weft::explorer::explore: options of '" + std::string{name} + "'"};
    }
    if (detail::exploring()) {
        throw error{errc::invalid_argument, "weft::explorer::explore: called inside a scenario"};
    }
}

} // namespace

options options::sequential(int preemptions) {
    options how;
    how.memory = memory_model::sequential;
    how.preemptions = preemptions;
    return how;
}

options options::weak(int preemptions, int stale_reads) {
    options how;
    how.preemptions = preemptions;
    how.stale_reads = stale_reads;
    return how;
}

options options::random(std::uint64_t schedules, int depth, std::uint64_t seed) {
    options how;
    how.random_schedules = schedules;
    how.depth = depth;
    how.seed = seed;
    return how;
}

options options::freezing() const {
    options how = *this;
    how.freeze = true;
    return how;
}

std::string_view name_of(failure_kind kind) noexcept {
    switch (kind) {
    case failure_kind::check: return "check failed";
    case failure_kind::data_race: return "data race";
    case failure_kind::deadlock: return "deadlock";
    case failure_kind::livelock: return "livelock";
    case failure_kind::blocked_by_frozen: return "blocked by a stopped thread";
    case failure_kind::use_after_free: return "use after free";
    case failure_kind::leak: return "leak";
    case failure_kind::exception: return "exception";
    case failure_kind::misuse: return "misuse of the explorer";
    }
    return "?";
}

std::string report::summary() const {
    const double rate = seconds > 0 ? static_cast<double>(executions) / seconds : 0;
    char figures[96];
    std::snprintf(figures, sizeof figures, "%llu executions, %.0f per second, ",
                  static_cast<unsigned long long>(executions), rate);
    const std::string text = "explore: " + scenario + " [" + bounds + "]: " + figures;
    if (failure) return text + std::string{name_of(failure->kind)};
    if (replayed) return text + "replayed without a failure";
    return text + (exhaustive ? "exhaustive" : "capped");
}

std::string report::explanation() const {
    if (!failure) return {};
    std::string text = std::string{name_of(failure->kind)} + ": " + failure->message + "\n";
    std::size_t thread_width = 0;
    std::size_t place_width = 0;
    for (const step& each : failure->steps) {
        thread_width = std::max(thread_width, each.thread.size());
        place_width = std::max(place_width, each.where.size());
    }
    // Of a livelock the beginning and the end suffice.
    constexpr std::size_t shown = 100;
    for (std::size_t i = 0; i < failure->steps.size(); ++i) {
        if (i == shown && failure->steps.size() > 2 * shown) {
            const std::size_t skipped = failure->steps.size() - 2 * shown;
            text += "       ... " + std::to_string(skipped) + " steps ...\n";
            i += skipped;
        }
        const step& each = failure->steps[i];
        char count[24];
        std::snprintf(count, sizeof count, "%5zu  ", i + 1);
        text += count + each.thread + std::string(thread_width - each.thread.size() + 2, ' ') +
                each.where + std::string(place_width - each.where.size() + 2, ' ') + each.what +
                "\n";
    }
    return text + "again: WEFT_REPLAY='" + scenario + "=" + failure->replay + "'\n";
}

report explore(std::string_view name, const options& how, const std::function<void()>& scenario) {
    return detail::explore_with(name, how, scenario, detail::mutation{});
}

report detail::explore_with(std::string_view name, const options& how,
                            const std::function<void()>& scenario, const mutation& change) {
    require_sensible(name, how);
    report result;
    result.scenario = name;
    result.bounds = bounds_in_words(how);
    const std::string replay = how.replay.empty() ? replay_from_environment(name) : how.replay;
    if (replay.empty()) search_all(how, scenario, change, result);
    else replay_one(how, replay, scenario, change, result);
    if (how.print) {
        std::printf("%s\n%s", result.summary().c_str(), result.explanation().c_str());
        std::fflush(stdout);
    }
    return result;
}

void check(bool condition, std::string_view message, const detail::site& where) {
    if (condition) return;
    if (!detail::exploring()) {
        throw error{errc::invalid_argument,
                    "weft::explorer::check: outside a scenario: " + std::string{message}};
    }
    std::string text{message};
    detail::active_engine->note(where, "check: " + text);
    detail::active_engine->fail(failure_kind::check, std::move(text));
}

} // namespace weft::inline v0::explorer
