// Exploring a scenario: all its interleavings within bounds, or many random ones.
#pragma once

#include <weft/api.hpp>

#include <weft/explorer/detail/machine.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::inline v0::explorer {

/// What a load may return.
enum class memory_model : std::uint8_t {
    sequential, ///< a load returns the newest store
    weak,       ///< a load returns any store that coherence and happens-before allow
};

/// What to search, and how far.
struct WEFT_API options {
    /// What a load may return.
    memory_model memory = memory_model::weak;
    /// At most this many preemptions in one execution: a thread that could continue is stopped for
    /// another.
    int preemptions = 2;
    /// At most this many loads of one execution return something older than the newest store.
    int stale_reads = 2;
    /// At most this many timed waits of one execution time out while another thread could still
    /// run.
    int timeouts = 1;
    /// Stop one thread forever, at each of its steps in turn: the others must end nevertheless.
    bool freeze = false;

    /// Zero: search depth first. Otherwise run this many random schedules with priorities (PCT).
    std::uint64_t random_schedules = 0;
    /// Each random schedule finds a bug that needs at most this many ordering constraints with a
    /// probability of at least 1 / (threads * steps^(depth - 1)).
    int depth = 3;
    /// The seed of the random schedules: the same seed gives the same executions.
    std::uint64_t seed = 1;

    /// A longer execution is reported as a livelock; at most 30,000.
    int max_steps = 2'000;
    /// The search stops as capped after this many executions.
    std::uint64_t max_executions = 50'000'000;
    /// The search stops as capped after this much CPU time.
    double max_seconds = 60;

    /// Run only the execution that this replay text identifies; a failure prints the text.
    std::string replay;
    /// Print a line for the scenario, and the interleaving of a failure, to standard output.
    bool print = true;

    /// Every interleaving on sequential memory with at most this many preemptions.
    static options sequential(int preemptions = 3);
    /// Every interleaving on weak memory with at most this many preemptions and stale reads.
    static options weak(int preemptions = 2, int stale_reads = 2);
    /// This many random schedules on weak memory.
    static options random(std::uint64_t schedules, int depth = 3, std::uint64_t seed = 1);
    /// These options, and each thread stopped forever at each of its steps in turn.
    [[nodiscard]] options freezing() const;
};

/// What can be wrong with an execution.
enum class failure_kind : std::uint8_t {
    check,     ///< the condition of a `check` was false
    data_race, ///< two unordered accesses, at least one of them a write
    deadlock,  ///< no thread can run, and at least one has not ended (for example a lost wake-up)
    livelock,  ///< not ended after `max_steps` steps
    blocked_by_frozen, ///< with one thread stopped, another cannot end
    use_after_free,    ///< an object was used after its end, or memory was freed twice
    leak,              ///< memory was not freed
    exception,         ///< an exception left a thread
    misuse,            ///< the scenario itself is wrong
};

/// The enumerator in words.
[[nodiscard]] WEFT_API std::string_view name_of(failure_kind kind) noexcept;

/// One step of an interleaving.
struct step {
    /// The name of the thread.
    std::string thread;
    std::string place; ///< file:line
    /// The operation and its result.
    std::string operation;
};

/// A failed execution.
struct failure {
    /// The kind of failure.
    failure_kind kind;
    /// A description.
    std::string message;
    /// The interleaving, from its beginning.
    std::vector<step> steps;
    std::string replay; ///< the value for `options::replay`
};

/// The bounds that excluded executions from a search: without the bound, there would have been more
/// to run.
struct exclusions {
    /// Some execution had no preemption left where it could have used one.
    bool preemptions = false;
    /// The same for stale reads.
    bool stale_reads = false;
    /// The same for timeouts.
    bool timeouts = false;

    /// Whether any bound excluded an execution.
    [[nodiscard]] bool any() const noexcept { return preemptions || stale_reads || timeouts; }
};

/// The result of an exploration.
struct WEFT_API report {
    /// The name of the scenario.
    std::string scenario;
    /// The options of the search.
    explorer::options options;
    /// The number of executions that were run.
    std::uint64_t executions = 0;
    /// How long the search took.
    double seconds = 0;
    /// Every execution within the bounds was run; otherwise the search was capped.
    bool exhaustive = false;
    /// Only one execution, identified by a replay text, was run.
    bool replayed = false;
    /// The bounds that excluded executions. A search that excluded none has covered the scenario
    /// entirely.
    exclusions excluded;
    /// The first execution that failed, if any did.
    std::optional<explorer::failure> failure;

    /// No execution failed.
    [[nodiscard]] bool passed() const noexcept { return !failure; }
    /// Every execution of the scenario was run, and no bound excluded any.
    [[nodiscard]] bool complete() const noexcept { return exhaustive && !excluded.any(); }
    /// One line: the bounds, the number of executions and their rate, the result and what it does
    /// not cover.
    [[nodiscard]] std::string summary() const;
    /// What the result covers and what it does not, in words.
    [[nodiscard]] std::string coverage() const;
    /// The options for a deeper search: each bound that excluded executions is raised by one. None
    /// if this search failed, was capped or random, or was complete.
    [[nodiscard]] std::optional<explorer::options> next_bounds() const;
    /// The failure, step by step; empty if there is none.
    [[nodiscard]] std::string explanation() const;

    std::string bounds; ///< the bounds of the search in words
};

/// Runs `scenario` repeatedly, each time along another interleaving, until all have been run, one
/// fails, or a cap is reached. Apart from what the explorer decides, the scenario must do the same
/// in each execution: it creates its objects, starts threads and checks what must hold.
///
/// If the environment variable WEFT_REPLAY is `name=text` with the name of this scenario, only the
/// execution that the text identifies is run and printed.
WEFT_API report explore(std::string_view name, const options& limits,
                        const std::function<void()>& scenario);

/// Explores with `limits`, then with `report::next_bounds`, and so on, until a search fails, is
/// complete, or the searches together have used `seconds` of CPU time. Returns the failure if there
/// is one, otherwise the last search that was exhaustive, otherwise the only one.
WEFT_API report explore_deeper(std::string_view name, const options& limits, double seconds,
                               const std::function<void()>& scenario);

/// Fails the execution unless `condition` holds.
WEFT_API void check(bool condition, std::string_view message,
                    const detail::site& place = detail::site::current());

} // namespace weft::inline v0::explorer
