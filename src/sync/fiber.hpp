// Stacks that one thread switches between.
#pragma once

#if defined(__x86_64__) && !defined(WEFT_SYNC_UCONTEXT)
#define WEFT_SYNC_ASSEMBLY 1
#else
#include <ucontext.h>
#endif

#include <cstddef>
#include <cstdint>

namespace weft::inline v0::sync {

/// A flow of control with a stack of its own. A fiber without a stack stands for the thread that
/// uses it.
///
/// | operation | called by          | progress                                   |
/// |-----------|--------------------|--------------------------------------------|
/// | switch_to | the thread of both | returns when another fiber switches back   |
/// | bottom    | any                | wait-free                                  |
///
/// A fiber that has begun stays on its thread: thread-local variables, whose addresses compilers
/// keep, are those of that thread. It has its own state of C++ exceptions, so that one fiber may be
/// in a catch clause while another throws. The address and thread sanitizers and Valgrind know of
/// the stack, and of each switch.
class fiber {
public:
    using entry_function = void (*)(void* argument);

    /// Stands for the calling thread.
    fiber() noexcept = default;
    /// The first switch to it calls `entry(argument)`, which must never return. Throws
    /// std::bad_alloc if there is no memory for the stack.
    fiber(std::size_t stack_size, entry_function entry, void* argument);
    /// What is left on the stack is forgotten, without destructors.
    ~fiber();
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;

    /// Leaves `running`, which the calling thread runs, for `next`; returns when it is switched to.
    static void switch_to(fiber& running, fiber& next) noexcept;

    /// The lowest address of the stack.
    [[nodiscard]] std::uintptr_t bottom() const noexcept {
        return reinterpret_cast<std::uintptr_t>(stack_);
    }

private:
    /// The caught exceptions, and how many are in flight: what __cxa_get_globals returns.
    struct exception_state {
        void* caught;
        std::uintptr_t uncaught;
    };

    static void first_steps() noexcept;
    void make_stack();
    void free_stack() noexcept;
    void prepare() noexcept;
    void arrive() noexcept;

#ifdef WEFT_SYNC_ASSEMBLY
    void* context_ = nullptr; // the saved stack pointer
#else
    ucontext_t context_{};
#endif
    char* stack_ = nullptr;
    std::size_t size_ = 0;
    exception_state exceptions_{};
    entry_function entry_ = nullptr;
    void* argument_ = nullptr;
    fiber* came_from_ = nullptr; // the fiber that switched to this one last
    // What tools know it by, each in builds for it:
    [[maybe_unused]] void* fake_stack_ = nullptr;
    [[maybe_unused]] const void* address_bottom_ = nullptr;
    [[maybe_unused]] std::size_t address_size_ = 0;
    [[maybe_unused]] void* thread_fiber_ = nullptr;
    [[maybe_unused]] unsigned valgrind_id_ = 0;
};

} // namespace weft::inline v0::sync
