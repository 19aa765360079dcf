#include <weft/detail/sync/thread.hpp>

#ifndef WEFT_MODEL

#include <pthread.h>
#include <sched.h>

namespace weft::inline v0::sync {

std::uintptr_t stack_bottom() noexcept {
    pthread_attr_t attributes;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return 0;
    void* bottom = nullptr;
    std::size_t size = 0;
    ::pthread_attr_getstack(&attributes, &bottom, &size);
    ::pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uintptr_t>(bottom);
}

bool stay_on_cpu(std::size_t cpu) noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set) == 0;
}

void move_to_cpu(std::size_t cpu) noexcept {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    if (!CPU_ISSET(cpu, &allowed) || !stay_on_cpu(cpu)) return;
    ::pthread_setaffinity_np(::pthread_self(), sizeof allowed, &allowed);
}

std::size_t current_cpu() noexcept {
    const int cpu = ::sched_getcpu();
    return cpu >= 0 ? static_cast<std::size_t>(cpu) : 0;
}

std::vector<std::size_t> allowed_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<std::size_t> cpus;
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
    return cpus;
}

} // namespace weft::inline v0::sync

#include <weft/detail/sync/check.hpp>

#include <weft/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <system_error>

namespace weft::inline v0::sync {
namespace {

/// Attributes of a thread to be, given back in any case.
class attributes {
public:
    attributes() {
        if (const int code = ::pthread_attr_init(&value_); code != 0) refuse(code);
    }
    ~attributes() { ::pthread_attr_destroy(&value_); }
    attributes(const attributes&) = delete;
    attributes& operator=(const attributes&) = delete;

    void stack_size(std::size_t wanted) {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const auto least = static_cast<std::size_t>(::sysconf(_SC_THREAD_STACK_MIN));
        const std::size_t pages = (std::max(wanted, least) - 1) / page + 1;
        if (const int code = ::pthread_attr_setstacksize(&value_, pages * page); code != 0) {
            throw error{errc::invalid_argument,
                        "weft::sync::thread: stack of " + std::to_string(wanted) + " bytes"};
        }
    }

    [[noreturn]] static void refuse(int code) {
        throw error{errc::no_thread,
                    "weft::sync::thread: " + std::generic_category().message(code)};
    }

    [[nodiscard]] const pthread_attr_t& get() const noexcept { return value_; }

private:
    pthread_attr_t value_{};
};

} // namespace

void thread::start(const thread_options& how, void* (*entry)(void*), void* state) {
    attributes with;
    if (how.stack_size != 0) with.stack_size(how.stack_size);
    if (const int code = ::pthread_create(&id_, &with.get(), entry, state); code != 0) {
        attributes::refuse(code);
    }
    joinable_ = true;
    constexpr std::size_t kept = 15; // the kernel's limit
    if (!how.name.empty()) ::pthread_setname_np(id_, how.name.substr(0, kept).c_str());
}

thread& thread::operator=(thread&& other) noexcept {
    if (this != &other) {
        if (joinable_) join();
        id_ = other.id_;
        joinable_ = std::exchange(other.joinable_, false);
    }
    return *this;
}

thread::~thread() {
    if (joinable_) join();
}

void thread::join() noexcept {
    WEFT_CHECK(joinable_, "weft::sync::thread::join: there is nothing to join");
    ::pthread_join(id_, nullptr);
    joinable_ = false;
}

} // namespace weft::inline v0::sync

#endif
