// Words that belong to a stack: thread-local ones that change with it.
#pragma once

#include <weft/detail/sync/thread_local_value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace weft::inline v0::sync {

/// What is kept there: pointers into frames of the stack.
enum class stack_word : std::uint8_t {
    failures,           ///< the innermost failure_collection
    refused_tasks,      ///< those that refuse_when_ready ends
    refused_admissions, ///< those that admission::abandon ends
    refused_tickets,    ///< those that end_not_run ends
    unbegun_frames,     ///< those that destroy_frame destroys
    ended_chains,       ///< those that chain::end_unrun ends
    passed_leases,      ///< those that lease_ticket::pass_on passes on
};

template <stack_word Word>
struct stack_word_tag;

/// A word of this stack, null at first.
template <stack_word Word, class Pointer>
struct stack_local {
    using word = thread_local_value<stack_word_tag<Word>, void*>;
    static Pointer get() noexcept { return static_cast<Pointer>(word::get()); }
    static void set(Pointer next) noexcept { word::set(static_cast<void*>(next)); }
};

/// The words of a stack that the thread leaves.
class left_stack_words {
public:
    /// Keeps them, and makes those of the thread null.
    left_stack_words() noexcept { take(every{}); }
    /// The thread is back.
    ~left_stack_words() { give_back(every{}); }
    left_stack_words(const left_stack_words&) = delete;
    left_stack_words& operator=(const left_stack_words&) = delete;

private:
    static constexpr std::size_t count = static_cast<std::size_t>(stack_word::passed_leases) + 1;
    using every = std::make_index_sequence<count>;
    template <std::size_t Index>
    using word = stack_local<static_cast<stack_word>(Index), void*>;

    template <std::size_t... Index>
    void take(std::index_sequence<Index...> /*all*/) noexcept {
        ((words_[Index] = word<Index>::get(), word<Index>::set(nullptr)), ...);
    }
    template <std::size_t... Index>
    void give_back(std::index_sequence<Index...> /*all*/) noexcept {
        (word<Index>::set(words_[Index]), ...);
    }
    std::array<void*, count> words_;
};

} // namespace weft::inline v0::sync
