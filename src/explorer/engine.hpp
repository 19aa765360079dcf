// Runs the executions of a scenario: decides which thread runs next, which thread waits for what,
// and what is a failure.
#pragma once

#include "explorer/choice_path.hpp"
#include "explorer/fiber.hpp"
#include "explorer/heap.hpp"
#include "explorer/memory_machine.hpp"
#include "explorer/mutation.hpp"
#include "explorer/random_schedule.hpp"

#include <weft/explorer/explore.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::inline v0::explorer::detail {

enum class search : std::uint8_t { depth_first, random, replay };

/// One exploration. Threads are fibers; exactly one runs, until it reaches a scheduling point
/// (before each operation on an atomic object, mutex or parker, and before each seq_cst fence) and
/// another is chosen. The fiber of the caller of `run` is the host; it sleeps while an execution
/// runs.
///
/// Invariants
///  E1  Each decision goes through `path_`, and nothing else makes two executions differ.
///  E2  Alternatives are listed in one order: the running thread, its freezing, the other ready
///      ones by number, timed waits by number; last, if it has yielded, the running thread. The
///      first costs nothing.
///  E3  A failure leaves the execution where it is: no fiber of it runs again. Its stacks are
///      reused by the next execution, its tracked memory is reclaimed.
class engine {
public:
    engine(const options& limits, const mutation& change);
    ~engine();
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    /// One execution along the current path; false if it failed.
    bool run(const std::function<void()>& scenario, search mode, bool tracing);
    [[nodiscard]] choice_path& path() noexcept { return path_; }
    [[nodiscard]] random_schedule& random() noexcept { return random_; }
    [[nodiscard]] explorer::failure take_failure();
    [[nodiscard]] int steps() const noexcept { return steps_; }
    /// The bounds that have excluded something from any execution of this engine.
    [[nodiscard]] const exclusions& excluded() const noexcept { return excluded_; }

    // The operations of the running thread; see detail/machine.hpp.
    handle add_atomic(const void* self, std::size_t size, std::uint64_t bits, value_kind kind);
    void end_atomic(handle object);
    void label_atomic(handle object, const char* name);
    std::uint64_t load(handle object, std::memory_order order, const site& place);
    void store(handle object, std::uint64_t bits, std::memory_order order, const site& place);
    std::uint64_t rmw_read(handle object, const site& place);
    void rmw_write(handle object, std::uint64_t bits, std::memory_order order,
                   const char* operation, const site& place);
    void rmw_fail(handle object, std::memory_order order, const char* operation, const site& place);
    bool weak_exchange_fails();
    void fence(std::memory_order order, const site& place);
    bool futex_wait(handle object, std::uint64_t expected, std::optional<nanoseconds> deadline,
                    const site& place);
    void futex_wake(handle object, unsigned count, wake_by key, const site& place);

    handle add_plain(const void* self, std::size_t size);
    void end_plain(handle object);
    void label_plain(handle object, const char* name);
    void read_plain(handle object, const site& place);
    void write_plain(handle object, const site& place);

    handle add_mutex(const void* self);
    void end_mutex(handle object);
    void lock(handle object, const site& place);
    bool try_lock(handle object, const site& place);
    void unlock(handle object, const site& place);
    handle add_parker(const void* self);
    void end_parker(handle object);
    bool park(handle object, std::optional<nanoseconds> deadline, const site& place);
    void unpark(handle object, const site& place);

    new_thread reserve_thread(std::size_t size, std::size_t alignment);
    void start_thread(thread_index index, const char* name, void (*body)(void*), void* callable,
                      const site& place);
    void join_threads(thread_set set, const site& place);
    void yield_thread(const site& place);
    [[nodiscard]] thread_index current() const noexcept { return current_; }
    [[nodiscard]] nanoseconds time() const noexcept { return time_; }
    std::uint64_t& word_of_thread(const void* key);
    void at_thread_end(void (*end)(void*), void* owned);
    [[nodiscard]] std::uintptr_t stack_bottom() const noexcept;
    void* global_object(const void* key, const global_type& type);

    void* allocate(std::size_t size, std::size_t alignment, block_lifetime lifetime,
                   const site& place);
    void free(void* memory, const site& place);

    /// Leaves the execution permanently. What the caller's frame still owns is not destroyed, so
    /// the message is created before the call and moved into it.
    [[noreturn]] void fail(failure_kind kind, std::string&& message);
    void note(const site& place, std::string operation);

private:
    enum class status : std::uint8_t {
        absent,
        ready,
        joining,
        locking,
        parked,
        sleeping,
        frozen,
        ended
    };

    struct thread {
        fiber stack;
        std::string name;
        status state = status::absent;
        bool fresh = false;          // has not come to its first scheduling point
        bool timed_out = false;      // its timed wait ran out
        thread_set owes = 0;         // having yielded: the threads that must run first
        std::uint32_t waits_for = 0; // a set of threads, or an object
        std::optional<nanoseconds> deadline;
        void (*body)(void*) = nullptr;
        void* callable = nullptr;
        row_index ending = 0; // what a join acquires
        site place;           // its last scheduling point
        std::vector<std::pair<const void*, std::uint64_t>> words;
        std::vector<std::pair<void (*)(void*), void*>> at_end;
    };
    struct global {
        const void* key;
        void* object; // null while it is being made
        void (*destroy)(void*) noexcept;
        row_index baton; // its construction happens before every use
    };
    struct mutex_state {
        const void* address;
        row_index baton;
        std::optional<thread_index> owner;
        bool alive;
    };
    struct parker_state {
        const void* address;
        row_index baton;
        bool token;
        bool alive;
    };

    // Life of an execution.
    static void run_main(void* self);
    static void run_thread(void* self);
    void reset();
    void run_body(thread_index index);
    void run_thread_end();
    void destroy_globals();
    void end_current();
    void end_execution();

    // Scheduling.
    struct alternatives {
        std::array<thread_index, max_threads> threads;
        unsigned count = 0;
        unsigned timers_from = 0; // those from here on are woken by the end of their time
        unsigned timers_until = 0;
        bool goes_on = false; // the last is the running thread, which has yielded
    };
    void count_step();
    void pay_yields();
    void point(const site& place);
    void reschedule();
    bool take_turn();
    void block(status state, std::uint32_t waits_for, std::optional<nanoseconds> deadline,
               const site& place);
    [[nodiscard]] alternatives list_alternatives() const;
    [[nodiscard]] unsigned decide(const alternatives& list, bool stays, bool freezable);
    [[nodiscard]] unsigned decide_at_random(const alternatives& list, bool freezable);
    void hand_over(const alternatives& list, unsigned chosen, bool stays);
    void resume(thread_index next);
    void wake_by_time(thread_index index);
    void nobody_can_run();
    [[nodiscard]] std::optional<thread_index> frozen() const;
    void set_state(thread_index index, status state);
    unsigned choose(unsigned count);

    // Helpers of the operations.
    [[nodiscard]] handle handle_of(std::size_t index) const;
    void require_current(handle object);
    void enter(handle object, const char* operation, const site& place);
    void judge_atomic(access_result result, std::uint32_t object, const char* operation);
    void judge_plain(access_result result, std::uint32_t object, const char* operation);
    void judge(access_result result, std::string&& message);
    void judge_baton(row_index baton, const char* happening);
    void end_blocking_in(const void* begin, std::size_t size);
    mutex_state& mutex_at(handle object);
    parker_state& parker_at(handle object);
    [[nodiscard]] std::string describe_threads() const;
    [[nodiscard]] std::string describe(const thread& each) const;

    options options_;
    mutation change_;
    search mode_ = search::depth_first;
    choice_path path_;
    random_schedule random_;

    memory_machine memory_;
    heap heap_;
    fiber host_;
    std::array<thread, max_threads> threads_;
    std::vector<mutex_state> mutexes_;
    std::vector<parker_state> parkers_;
    std::vector<global> globals_;
    const std::function<void()>* scenario_ = nullptr;

    std::uint64_t execution_ = 0;
    thread_index thread_count_ = 0;
    thread_index current_ = 0;
    thread_set ready_ = 0;
    thread_set timed_ = 0;   // in a timed wait
    thread_set yielded_ = 0; // let others go first
    thread_set ended_ = 0;
    thread_set joined_ = 0;
    unsigned lonely_yields_ = 0; // since another thread than the last did something
    thread_index last_to_step_ = 0;
    int steps_ = 0;
    int preemptions_left_ = 0;
    int stale_reads_left_ = 0;
    int timeouts_left_ = 0;
    bool may_freeze_ = false;
    exclusions excluded_;
    nanoseconds time_ = 0;

    bool tracing_ = false;
    std::optional<failure_kind> failed_;
    std::string message_;
    std::vector<step> trace_;
};

/// The exploration that this OS thread runs, or null.
extern thread_local engine* active_engine;

std::string short_place(const site& place);
std::string_view name_of_order(std::memory_order order);

} // namespace weft::inline v0::explorer::detail
