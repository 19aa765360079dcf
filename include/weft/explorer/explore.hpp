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
    /// How often a thread that could go on may be stopped for another, in one execution.
    int preemptions = 2;
    /// How many loads of one execution may return something older than the newest store.
    int stale_reads = 2;
    /// How many timed waits of one execution may run out though others could still run.
    int timeouts = 1;
    /// Stop one thread for ever, at each of its steps in turn: the others must end all the same.
    bool freeze = false;

    /// Zero: search depth first. Otherwise this many random schedules with priorities (PCT).
    std::uint64_t random_schedules = 0;
    /// Random schedules find every bug that needs at most this many ordering constraints, each
    /// with a probability of at least 1 / (threads * steps^(depth - 1)).
    int depth = 3;
    /// Of the random schedules: the same seed is the same executions.
    std::uint64_t seed = 1;

    /// A longer execution is reported as a livelock; at most 30,000.
    int max_steps = 2'000;
    /// Beyond either the search ends as capped.
    std::uint64_t max_executions = 50'000'000;
    /// Beyond this much CPU time the search ends as capped.
    double max_seconds = 60;

    /// Run only the execution that this text names, as a failure printed it.
    std::string replay;
    /// Print one line for the scenario, and a failure's interleaving, on standard output.
    bool print = true;

    /// Every interleaving on sequential memory, with so many preemptions.
    static options sequential(int preemptions = 3);
    /// Every interleaving on weak memory, with so many preemptions and stale reads.
    static options weak(int preemptions = 2, int stale_reads = 2);
    /// So many random schedules on weak memory.
    static options random(std::uint64_t schedules, int depth = 3, std::uint64_t seed = 1);
    /// These options, and each thread stopped for ever at each of its steps in turn.
    [[nodiscard]] options freezing() const;
};

/// What can be wrong with an execution.
enum class failure_kind : std::uint8_t {
    check,             ///< `check` was given false
    data_race,         ///< two accesses that nothing orders, one of them a write
    deadlock,          ///< nobody can run, somebody has not ended (a lost wake-up among others)
    livelock,          ///< `max_steps` steps did not suffice
    blocked_by_frozen, ///< with one thread stopped, another cannot end
    use_after_free,    ///< an object was used after its end, or memory freed twice
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
    std::string where; ///< file:line
    /// What was done, and what came of it.
    std::string what;
};

/// What went wrong, and how it got there.
struct failure {
    /// Which kind it is.
    failure_kind kind;
    /// In words.
    std::string message;
    /// The interleaving, from its beginning.
    std::vector<step> steps;
    std::string replay; ///< give this to `options::replay`
};

/// What an exploration has found.
struct WEFT_API report {
    /// Its name.
    std::string scenario;
    /// How many were run.
    std::uint64_t executions = 0;
    /// How long it took.
    double seconds = 0;
    bool exhaustive = false; ///< all interleavings within the bounds were run; otherwise capped
    bool replayed = false;   ///< only one execution, named by a replay text, was run
    /// Where one execution has failed: the first that did.
    std::optional<explorer::failure> failure;

    /// No execution has failed.
    [[nodiscard]] bool passed() const noexcept { return !failure; }
    /// One line: what was searched, executions, their rate, exhaustive or capped.
    [[nodiscard]] std::string summary() const;
    /// The failure, step by step; empty if there is none.
    [[nodiscard]] std::string explanation() const;

    std::string bounds; ///< the options in words
};

/// Runs `scenario` again and again, each time along another interleaving, until all have been run,
/// one fails, or a cap is reached. The scenario must do the same thing each time but for what the
/// explorer decides; it makes its objects anew, starts threads and checks what must hold.
///
/// If the environment variable WEFT_REPLAY is `name=text` with this scenario's name, only the
/// execution that the text names is run, and it is printed.
WEFT_API report explore(std::string_view name, const options& how,
                        const std::function<void()>& scenario);

/// Ends the execution as failed unless `condition` holds.
WEFT_API void check(bool condition, std::string_view message,
                    const detail::site& where = detail::site::current());

} // namespace weft::inline v0::explorer
