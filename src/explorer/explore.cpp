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

std::string plural(int count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string bounds_in_words(const options& limits) {
    std::string text = limits.memory == memory_model::weak
                           ? "weak, " + std::to_string(limits.stale_reads) + " stale reads"
                           : std::string{"sequential"};
    if (limits.random_schedules > 0) text += ", random depth " + std::to_string(limits.depth);
    else text += ", " + std::to_string(limits.preemptions) + " preemptions";
    if (limits.freeze) text += ", freezing";
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

/// The CPU time of this thread, so that other load or a suspended machine does not use up the time
/// of a search.
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
std::string replay_text(const options& limits, const detail::choice_path& path) {
    std::string text = limits.memory == memory_model::weak ? "w" : "s";
    text += std::to_string(limits.stale_reads) + "." + std::to_string(limits.timeouts);
    return text + (limits.freeze ? "f:" : ":") + path.text();
}

/// Removes a number and the character behind it from the front; returns false if they are missing.
bool take_number(std::string_view& text, int& number, char behind) {
    const char* const begin = std::to_address(text.begin());
    const char* const end = begin + text.size();
    const auto [rest, error] = std::from_chars(begin, end, number);
    if (error != std::errc{} || number < 0 || rest == end || *rest != behind) return false;
    text.remove_prefix(static_cast<std::size_t>(rest - begin) + 1);
    return true;
}

/// Reads the bounds of a replay text into `limits` and leaves the decisions; returns false if the
/// text is not valid.
bool read_bounds(std::string_view& text, options& limits) {
    const bool weak = text.starts_with('w');
    if (!weak && !text.starts_with('s')) return false;
    text.remove_prefix(1);
    limits.memory = weak ? memory_model::weak : memory_model::sequential;
    if (!take_number(text, limits.stale_reads, '.')) return false;
    limits.freeze = text.substr(0, text.find(':')).ends_with('f');
    if (!limits.freeze) return take_number(text, limits.timeouts, ':');
    if (!take_number(text, limits.timeouts, 'f') || !text.starts_with(':')) return false;
    text.remove_prefix(1);
    return true;
}

/// Runs the failed execution again and records its steps.
failure explain(engine& runner, const options& limits, const std::function<void()>& scenario) {
    runner.path().rewind();
    const bool failed = !runner.run(scenario, search::replay, true);
    failure found = failed ? runner.take_failure()
                           : failure{.kind = failure_kind::misuse,
                                     .message = "an execution failed, but not when it was run "
                                                "again; something in the scenario depends on more "
                                                "than the explorer's decisions",
                                     .steps = {},
                                     .replay = {}};
    found.replay = replay_text(limits, runner.path());
    return found;
}

void search_all(const options& limits, const std::function<void()>& scenario,
                const detail::mutation& change, report& result) {
    engine runner{limits, change};
    constexpr std::uint64_t look_at_clock_every = 256;
    const stopwatch watch;
    const double cpu_limit = cpu_seconds() + limits.max_seconds;
    const bool random = limits.random_schedules > 0;
    const std::uint64_t most =
        random ? std::min(limits.random_schedules, limits.max_executions) : limits.max_executions;
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
            result.failure = explain(runner, limits, scenario);
            break;
        }
        if (!random && !runner.path().advance()) {
            result.exhaustive = true;
            break;
        }
        if (result.executions >= most) break;
        if (result.executions % look_at_clock_every == 0 && cpu_seconds() > cpu_limit) break;
    }
    result.excluded = runner.excluded();
    result.seconds = watch.seconds();
}

void replay_one(options limits, const std::string& text, const std::function<void()>& scenario,
                const detail::mutation& change, report& result) {
    std::string_view decisions = text;
    const bool read = read_bounds(decisions, limits);
    engine runner{limits, change};
    if (!read || !runner.path().parse(decisions)) {
        throw error{errc::invalid_argument, "weft::explorer::explore: replay text '" + text + "'"};
    }
    result.executions = 1;
    result.replayed = true;
    result.bounds = bounds_in_words(limits);
    if (runner.run(scenario, search::replay, true)) return;
    result.failure = runner.take_failure();
    result.failure->replay = text;
}

void require_sensible(std::string_view name, const options& limits) {
    constexpr int longest = 30'000; // clocks and history positions are 16 bits wide
    const bool fine = limits.preemptions >= 0 && limits.stale_reads >= 0 && limits.timeouts >= 0 &&
                      limits.depth >= 1 && limits.max_steps >= 1 && limits.max_steps <= longest;
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
    options limits;
    limits.memory = memory_model::sequential;
    limits.preemptions = preemptions;
    return limits;
}

options options::weak(int preemptions, int stale_reads) {
    options limits;
    limits.preemptions = preemptions;
    limits.stale_reads = stale_reads;
    return limits;
}

options options::random(std::uint64_t schedules, int depth, std::uint64_t seed) {
    options limits;
    limits.random_schedules = schedules;
    limits.depth = depth;
    limits.seed = seed;
    return limits;
}

options options::freezing() const {
    options limits = *this;
    limits.freeze = true;
    return limits;
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
    return text + (exhaustive ? "exhaustive; " : "capped; ") + coverage();
}

std::string report::coverage() const {
    if (failure) return "the search ended at the first failure";
    if (replayed) return "one execution; no other was run";
    if (options.random_schedules > 0) {
        return "a sample of " + std::to_string(executions) + " random schedules";
    }
    if (!exhaustive) return "the search ended at its cap: executions within the bounds are missing";
    if (!excluded.any()) return "complete: no bound excluded an execution";
    std::string text = "not covered: ";
    const auto add = [&](bool is_excluded, int bound, const char* noun) {
        if (!is_excluded) return;
        if (!text.ends_with(' ')) text += " or ";
        text += "more than " + plural(bound, noun);
    };
    add(excluded.preemptions, options.preemptions, "preemption");
    add(excluded.stale_reads, options.stale_reads, "stale read");
    add(excluded.timeouts, options.timeouts, "timeout");
    return text;
}

std::optional<explorer::options> report::next_bounds() const {
    if (failure || !exhaustive || !excluded.any()) return std::nullopt;
    explorer::options next = options;
    if (excluded.preemptions) ++next.preemptions;
    if (excluded.stale_reads) ++next.stale_reads;
    if (excluded.timeouts) ++next.timeouts;
    return next;
}

std::string report::explanation() const {
    if (!failure) return {};
    std::string text = std::string{name_of(failure->kind)} + ": " + failure->message + "\n";
    std::size_t thread_width = 0;
    std::size_t place_width = 0;
    for (const step& each : failure->steps) {
        thread_width = std::max(thread_width, each.thread.size());
        place_width = std::max(place_width, each.place.size());
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
                each.place + std::string(place_width - each.place.size() + 2, ' ') +
                each.operation + "\n";
    }
    return text + "again: WEFT_REPLAY='" + scenario + "=" + failure->replay + "'\n";
}

report explore(std::string_view name, const options& limits,
               const std::function<void()>& scenario) {
    return detail::explore_with(name, limits, scenario, detail::mutation{});
}

report explore_deeper(std::string_view name, const options& limits, double seconds,
                      const std::function<void()>& scenario) {
    const double end = cpu_seconds() + seconds;
    options deeper = limits;
    deeper.max_seconds = seconds;
    report last = explore(name, deeper, scenario);
    for (;;) {
        const std::optional<options> next = last.next_bounds();
        const double left = end - cpu_seconds();
        if (!next || left <= 0) return last;
        deeper = *next;
        deeper.max_seconds = left;
        report found = explore(name, deeper, scenario);
        if (found.passed() && !found.exhaustive) return last;
        last = std::move(found);
    }
}

report detail::explore_with(std::string_view name, const options& limits,
                            const std::function<void()>& scenario, const mutation& change) {
    require_sensible(name, limits);
    report result;
    result.scenario = name;
    result.options = limits;
    result.bounds = bounds_in_words(limits);
    const std::string replay =
        limits.replay.empty() ? replay_from_environment(name) : limits.replay;
    if (replay.empty()) search_all(limits, scenario, change, result);
    else replay_one(limits, replay, scenario, change, result);
    if (limits.print) {
        std::printf("%s\n%s", result.summary().c_str(), result.explanation().c_str());
        std::fflush(stdout);
    }
    return result;
}

void check(bool condition, std::string_view message, const detail::site& place) {
    if (condition) return;
    if (!detail::exploring()) {
        throw error{errc::invalid_argument,
                    "weft::explorer::check: outside a scenario: " + std::string{message}};
    }
    std::string text{message};
    detail::active_engine->note(place, "check: " + text);
    detail::active_engine->fail(failure_kind::check, std::move(text));
}

} // namespace weft::inline v0::explorer
