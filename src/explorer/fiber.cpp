#include "explorer/fiber.hpp"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_EXPLORER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_EXPLORER_ASAN 1
#endif
#endif
#ifdef WEFT_EXPLORER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__x86_64__) && !defined(WEFT_EXPLORER_UCONTEXT)
#define WEFT_EXPLORER_ASSEMBLY 1
#else
#include <ucontext.h>
#endif

#ifdef WEFT_EXPLORER_ASSEMBLY
// Saves what a called function must preserve (System V ABI) and exchanges the stacks.
extern "C" void weft_explorer_switch(void** saved, void* restored) noexcept;
asm(R"(
.text
.hidden weft_explorer_switch
.globl weft_explorer_switch
.type weft_explorer_switch, @function
weft_explorer_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size weft_explorer_switch, . - weft_explorer_switch
)");
#endif

namespace weft::inline v0::explorer::detail {
namespace {

std::size_t page_size() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

// The fiber that is being entered for the first time, and the one that was left for it: a new stack
// has no frame yet in which to keep them.
thread_local fiber* entering = nullptr;
thread_local fiber* left_behind = nullptr;

} // namespace

fiber::~fiber() {
    if (stack_ != nullptr) ::munmap(stack_ - page_size(), stack_size + page_size());
#ifndef WEFT_EXPLORER_ASSEMBLY
    delete static_cast<ucontext_t*>(context_);
#endif
}

void fiber::make_stack() {
    // The page below the stack stays inaccessible: an overflow is a fault, not a surprise.
    const std::size_t guard = page_size();
    void* memory = ::mmap(nullptr, stack_size + guard, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc{};
    stack_ = static_cast<char*>(memory) + guard;
    if (::mprotect(stack_, stack_size, PROT_READ | PROT_WRITE) != 0) {
        ::munmap(memory, stack_size + guard);
        stack_ = nullptr;
        throw std::bad_alloc{};
    }
}

void* fiber::reserve(std::size_t size, std::size_t alignment) {
    if (stack_ == nullptr) make_stack();
#ifdef WEFT_EXPLORER_ASAN
    __asan_unpoison_memory_region(stack_, stack_size); // frames of an abandoned execution
#endif
    if (size + alignment > stack_size / 2) throw std::bad_alloc{};
    auto address = reinterpret_cast<std::uintptr_t>(stack_) + stack_size - size;
    address &= ~(static_cast<std::uintptr_t>(alignment) - 1);
    reserved_ =
        static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(stack_) + stack_size - address);
    return reinterpret_cast<void*>(address);
}

void fiber::prepare(void (*entry)(void*), void* argument) {
    entry_ = entry;
    argument_ = argument;
    exceptions_ = {};
    sanitizer_bottom_ = stack_;
    sanitizer_size_ = stack_size;
    const std::size_t usable = (stack_size - reserved_) & ~std::size_t{15};
#ifdef WEFT_EXPLORER_ASSEMBLY
    // As weft_explorer_switch left it: six registers, the return address, and above them a word
    // that makes the stack aligned as after a call.
    constexpr std::size_t saved_registers = 6;
    auto* top = reinterpret_cast<void**>(stack_ + usable) - 2;
    top[0] = reinterpret_cast<void*>(&fiber::first_steps);
    top[1] = nullptr;
    top -= saved_registers;
    std::fill_n(top, saved_registers, nullptr);
    context_ = static_cast<void*>(top);
#else
    if (context_ == nullptr) context_ = new ucontext_t;
    auto* context = static_cast<ucontext_t*>(context_);
    ::getcontext(context);
    context->uc_stack.ss_sp = stack_;
    context->uc_stack.ss_size = usable;
    context->uc_link = nullptr;
    ::makecontext(context, &fiber::first_steps, 0);
#endif
}

void fiber::switch_to(fiber& running, fiber& next) noexcept {
    exchange_stacks(running, next, false);
}

void fiber::leave(fiber& running, fiber& next) noexcept {
    exchange_stacks(running, next, true);
    std::abort();
}

void fiber::exchange_stacks(fiber& running, fiber& next, [[maybe_unused]] bool for_good) noexcept {
    // __cxa_get_globals returns two words: the caught exceptions, and how many are in flight.
    auto* globals = abi::__cxa_get_globals();
    std::memcpy(&running.exceptions_, globals, sizeof running.exceptions_);
    std::memcpy(globals, &next.exceptions_, sizeof next.exceptions_);
    entering = &next;
    left_behind = &running;
#ifdef WEFT_EXPLORER_ASAN
    if (for_good) running.fake_stack_ = nullptr; // and the sanitizer frees it
    __sanitizer_start_switch_fiber(for_good ? nullptr : &running.fake_stack_,
                                   next.sanitizer_bottom_, next.sanitizer_size_);
#endif
#ifdef WEFT_EXPLORER_ASSEMBLY
    weft_explorer_switch(&running.context_, next.context_);
#else
    if (running.context_ == nullptr) running.context_ = new ucontext_t;
    ::swapcontext(static_cast<ucontext_t*>(running.context_),
                  static_cast<ucontext_t*>(next.context_));
#endif
    running.arrive(left_behind);
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): the annotations need the fiber
void fiber::arrive([[maybe_unused]] fiber* previous) noexcept {
#ifdef WEFT_EXPLORER_ASAN
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(fake_stack_, &bottom, &size);
    if (previous->stack_ == nullptr) { // the OS thread's own stack is known only from here
        previous->sanitizer_bottom_ = bottom;
        previous->sanitizer_size_ = size;
    }
#endif
}

void fiber::first_steps() noexcept {
    fiber& self = *entering;
    self.arrive(left_behind);
    self.entry_(self.argument_);
    std::abort();
}

} // namespace weft::inline v0::explorer::detail
