#include "stage/child.hpp"

#include "acts/timing.hpp"
#include "stage/process_state.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <system_error>

namespace weft::demo {
namespace {

[[noreturn]] void fail(const char* action) {
    throw std::system_error{errno, std::generic_category(), action};
}

/// A pipe whose reading end never blocks.
class pipe_from_child {
public:
    pipe_from_child() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0) fail("cannot create a pipe");
        ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    }
    ~pipe_from_child() {
        ::close(ends_[0]);
        close_writing();
    }
    pipe_from_child(const pipe_from_child&) = delete;
    pipe_from_child& operator=(const pipe_from_child&) = delete;

    [[nodiscard]] int reading() const { return ends_[0]; }
    [[nodiscard]] int writing() const { return ends_[1]; }
    void close_writing() {
        if (ends_[1] >= 0) ::close(ends_[1]);
        ends_[1] = -1;
    }
    /// Appends everything that has arrived.
    void drain(std::string& text) const {
        std::array<char, 4096> some{};
        for (;;) {
            const ssize_t got = ::read(ends_[0], some.data(), some.size());
            if (got <= 0) return;
            text.append(some.data(), static_cast<std::size_t>(got));
        }
    }

private:
    std::array<int, 2> ends_{-1, -1};
};

/// Between fork and exec: nothing but system calls.
[[noreturn]] void become(char* const* words, int out, int err, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127); // the parent ended before the call
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    ::execvp(words[0], words);
    ::_exit(127);
}

pid_t start(const std::vector<std::string>& words, int out, int err) {
    std::vector<char*> raw;
    for (const std::string& each : words) raw.push_back(const_cast<char*>(each.c_str()));
    raw.push_back(nullptr);
    std::fflush(nullptr); // or the child would write the buffers again
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) fail("cannot start a process");
    if (child == 0) become(raw.data(), out, err, parent);
    return child;
}

/// The reason to show in a table: the message of an exception, or else the last line.
std::string reason_in(const std::string& complaint) {
    constexpr std::string_view mark = "what():";
    const auto found = complaint.rfind(mark);
    std::string_view rest = complaint;
    if (found != std::string::npos) rest.remove_prefix(found + mark.size());
    while (!rest.empty() && (rest.back() == '\n' || rest.back() == ' ')) rest.remove_suffix(1);
    rest.remove_prefix(std::min(rest.find_last_of('\n') + 1, rest.size()));
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    return std::string{rest};
}

std::string failure_reason(int status, const std::string& complaint) {
    std::string cause = WIFSIGNALED(status) ? std::string{::strsignal(WTERMSIG(status))}
                                            : fmt::format("exit code {}", WEXITSTATUS(status));
    const std::string reason = reason_in(complaint);
    return reason.empty() ? cause : cause + ": " + reason;
}

/// The time in which the child was watched. The time between two looks counts for a tenth of a
/// second at most: a suspended machine is not the child's fault.
class watched_time {
public:
    double look() {
        constexpr double most_between_looks = 0.1;
        const double now = watch_.seconds();
        sum_ += std::min(now - last_, most_between_looks);
        last_ = now;
        return sum_;
    }

private:
    stopwatch watch_;
    double last_ = 0;
    double sum_ = 0;
};

/// Watches a running child, and says when it has exceeded a limit.
class watchdog {
public:
    watchdog(pid_t child, const child_limits& limits) : child_{child}, limits_{limits} {}

    /// The limit that it has exceeded, described in `reason`.
    std::optional<ending> look(child_report& so_far) {
        const auto now = process_state::read(child_);
        if (!now) return {};
        so_far.threads = std::max(so_far.threads, now->threads);
        const double time = watched_.look();
        if (*now != last_ || wants_a_cpu(time)) {
            last_ = *now;
            last_change_ = time;
        }
        if (now->threads > limits_.threads) {
            so_far.reason = fmt::format("{} threads after {:.1f} s", now->threads, time);
            return ending::too_many_threads;
        }
        if (limits_.asleep > 0 && time - last_change_ > limits_.asleep) {
            so_far.reason = now->threads == 1
                                ? fmt::format("asleep for {:.1f} s", time - last_change_)
                                : fmt::format("all {} threads asleep for {:.1f} s", now->threads,
                                              time - last_change_);
            return ending::stalled;
        }
        if (time > limits_.seconds) {
            so_far.reason = fmt::format("not ready after {:.1f} s", time);
            if (so_far.threads > 100) so_far.reason += fmt::format(", {} threads", so_far.threads);
            return ending::too_long;
        }
        return {};
    }

private:
    /// On a busy machine a child may do nothing for long without sleeping. Called only in the
    /// second half of the allowed sleep: it takes long if there are many threads.
    [[nodiscard]] bool wants_a_cpu(double time) const {
        return limits_.asleep > 0 && time - last_change_ > limits_.asleep / 2 &&
               !all_threads_sleep(child_);
    }

    pid_t child_;
    child_limits limits_;
    watched_time watched_;
    process_state last_;
    double last_change_ = 0;
};

} // namespace

std::string_view name_of(ending ending) {
    switch (ending) {
    case ending::completed: return "completed";
    case ending::failed: return "failed";
    case ending::stalled: return "stalled";
    case ending::too_long: return "too long";
    case ending::too_many_threads: return "too many threads";
    }
    return "";
}

child_report run_child(const std::vector<std::string>& words, const child_limits& limits,
                       const std::function<void()>& meanwhile) {
    constexpr int milliseconds_between_looks = 3;
    pipe_from_child out;
    pipe_from_child err;
    const pid_t child = start(words, out.writing(), err.writing());
    out.close_writing();
    err.close_writing();

    child_report report;
    std::string complaint;
    watchdog dog{child, limits};
    int status = 0;
    rusage used{};
    while (::wait4(child, &status, WNOHANG, &used) == 0) {
        pollfd readable{out.reading(), POLLIN, 0};
        ::poll(&readable, 1, milliseconds_between_looks);
        out.drain(report.output);
        err.drain(complaint);
        if (meanwhile) meanwhile();
        const auto wrong = dog.look(report);
        if (!wrong) continue;
        report.ending = *wrong;
        ::kill(child, SIGKILL);
        ::wait4(child, &status, 0, &used);
        break;
    }
    out.drain(report.output);
    err.drain(complaint);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    report.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
    report.memory = static_cast<std::size_t>(used.ru_maxrss) * 1024;
    if (report.ending == ending::completed && status != 0) {
        report.ending = ending::failed;
        report.reason = failure_reason(status, complaint);
    }
    return report;
}

} // namespace weft::demo
