// Words that belong to a stack: thread-local ones that change with it.
#pragma once

#include <weft/detail/sync/thread_local_value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::inline v0::sync {

/// What is kept there: pointers into frames of the stack.
enum class stack_word : std::uint8_t {
    failures,           ///< the innermost failure_collection
    refused_tasks,      ///< those that refuse_when_ready ends
    refused_admissions, ///< those that admission::abandon ends
    refused_tickets,    ///< those that end_not_run ends
};

template <stack_word Word>
struct stack_word_tag;

/// A word of this stack, null at first.
template <stack_word Word, class Pointer>
struct stack_local {
    using word = thread_local_value<stack_word_tag<Word>, void*>;
    static Pointer get() noexcept { return static_cast<Pointer>(word::get()); }
    static void set(Pointer next) noexcept { word::set(next); }
};

/// The words of a stack that the thread leaves.
class left_stack_words {
public:
    /// Keeps them, and makes those of the thread null.
    left_stack_words() noexcept
        : words_{take<stack_word::failures>(), take<stack_word::refused_tasks>(),
                 take<stack_word::refused_admissions>(), take<stack_word::refused_tickets>()} {}
    /// The thread is back.
    ~left_stack_words() {
        stack_local<stack_word::failures, void*>::set(words_[0]);
        stack_local<stack_word::refused_tasks, void*>::set(words_[1]);
        stack_local<stack_word::refused_admissions, void*>::set(words_[2]);
        stack_local<stack_word::refused_tickets, void*>::set(words_[3]);
    }
    left_stack_words(const left_stack_words&) = delete;
    left_stack_words& operator=(const left_stack_words&) = delete;

private:
    template <stack_word Word>
    static void* take() noexcept {
        void* kept = stack_local<Word, void*>::get();
        stack_local<Word, void*>::set(nullptr);
        return kept;
    }
    std::array<void*, 4> words_;
};

} // namespace weft::inline v0::sync
