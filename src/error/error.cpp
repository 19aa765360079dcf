#include <weft/error.hpp>

#include <string>

namespace weft::inline v0 {
namespace {

std::string message_of(errc code, std::string_view call) {
    std::string text{call};
    text += ": ";
    text += describe(code);
    text += " (";
    text += name_of(code);
    text += ')';
    return text;
}

} // namespace

std::string_view name_of(errc code) noexcept {
    switch (code) {
    case errc::invalid_argument: return "invalid_argument";
    case errc::outside_pool: return "outside_pool";
    case errc::stopped: return "stopped";
    case errc::not_run: return "not_run";
    case errc::cancelled: return "cancelled";
    case errc::would_deadlock: return "would_deadlock";
    case errc::stack_exhausted: return "stack_exhausted";
    case errc::full: return "full";
    case errc::overweight: return "overweight";
    case errc::broken: return "broken";
    case errc::node_failed: return "node_failed";
    case errc::no_thread: return "no_thread";
    case errc::timed_out: return "timed_out";
    case errc::rank_failed: return "rank_failed";
    case errc::rank_mismatch: return "rank_mismatch";
    case errc::checkpoint_failed: return "checkpoint_failed";
    }
    return "unknown";
}

std::string_view describe(errc code) noexcept {
    switch (code) {
    case errc::invalid_argument: return "an argument is outside its documented range";
    case errc::outside_pool: return "the call must be made on a worker of a pool";
    case errc::stopped: return "the pool or group accepts no more work";
    case errc::not_run: return "the task was still queued when its pool was stopped";
    case errc::cancelled: return "the task was cancelled before it started";
    case errc::would_deadlock: return "waiting here could never end";
    case errc::stack_exhausted: return "too little stack is left to run another task on it";
    case errc::full: return "a limit is reached: of contracts, of work sources, or of nodes";
    case errc::overweight: return "the task's weight is above the limit's capacity";
    case errc::broken: return "the completion was dropped without being completed";
    case errc::node_failed: return "a node of the graph failed, and its successors were not run";
    case errc::no_thread: return "the system could not create another thread";
    case errc::timed_out: return "the deadline came before the result";
    case errc::rank_failed: return "a task on some rank has thrown an exception";
    case errc::rank_mismatch: return "the ranks do not run the same problem";
    case errc::checkpoint_failed: return "the checkpoint cannot be written or read";
    }
    return "unknown error";
}

error::error(errc code, std::string_view call)
    : std::runtime_error{message_of(code, call)}, code_{code} {}

error::~error() = default;

} // namespace weft::inline v0
