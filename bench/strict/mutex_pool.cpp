// The plainest pool that can join: one list, one mutex, and a waiter runs whatever is in the list.
// So its stacks grow with what it meets there, and need a lot of room.
#include "strict/config.hpp"

#include <pthread.h>

#include <condition_variable>
#include <list>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace bench::strict {
namespace {

class naive_pool {
public:
    struct job {
        void (*run)(job& self);
        bool done = false; // under the mutex
        std::list<job*>::iterator place{};
        bool queued = false;
    };

    explicit naive_pool(std::size_t threads) {
        constexpr std::size_t stack_size = std::size_t{1} << 30;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, stack_size);
        threads_.resize(threads);
        for (pthread_t& each : threads_) {
            const auto run = [](void* self) -> void* {
                static_cast<naive_pool*>(self)->work();
                return nullptr;
            };
            if (pthread_create(&each, &attributes, run, this) != 0) {
                throw std::runtime_error{"no thread"};
            }
        }
        pthread_attr_destroy(&attributes);
    }
    ~naive_pool() {
        {
            const std::scoped_lock lock{mutex_};
            stopped_ = true;
        }
        changed_.notify_all();
        for (const pthread_t each : threads_) pthread_join(each, nullptr);
    }
    naive_pool(const naive_pool&) = delete;
    naive_pool& operator=(const naive_pool&) = delete;

    void submit(job& one) {
        {
            const std::scoped_lock lock{mutex_};
            one.place = jobs_.insert(jobs_.end(), &one);
            one.queued = true;
        }
        changed_.notify_one();
    }
    /// Runs the job itself if it has not begun, and otherwise the youngest of the others.
    void wait(job& one) {
        std::unique_lock lock{mutex_};
        while (!one.done) {
            if (one.queued) run(one, lock);
            else if (!jobs_.empty()) run(*jobs_.back(), lock);
            else changed_.wait(lock);
        }
    }
    /// By a thread that is none of the pool's.
    void wait_outside(job& one) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return one.done; });
    }

private:
    void run(job& one, std::unique_lock<std::mutex>& lock) {
        jobs_.erase(one.place);
        one.queued = false;
        lock.unlock();
        one.run(one);
        lock.lock();
        one.done = true;
        changed_.notify_all();
    }
    void work() {
        std::unique_lock lock{mutex_};
        for (;;) {
            changed_.wait(lock, [this] { return stopped_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            run(*jobs_.front(), lock);
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::list<job*> jobs_;
    bool stopped_ = false;
    std::vector<pthread_t> threads_;
};

template <class Body>
struct job_of : naive_pool::job {
    const Body* body;
    std::invoke_result_t<const Body&> result{};
    explicit job_of(const Body& made) : body{&made} {
        run = [](naive_pool::job& self) {
            auto& own = static_cast<job_of&>(self);
            own.result = (*own.body)();
        };
    }
};

class stage {
public:
    explicit stage(const request& request) : pool_{request.threads} {}
    [[nodiscard]] static parameters limits() { return {}; }
    void before() {}
    void after() {}
    template <class Body>
    auto run(const Body& body) {
        job_of<Body> entered{body};
        pool_.submit(entered);
        pool_.wait_outside(entered);
        return entered.result;
    }
    template <class Forked, class Here>
    auto both(const Forked& forked, const Here& here) {
        job_of<Forked> away{forked};
        pool_.submit(away);
        const auto own = here();
        pool_.wait(away);
        return own + away.result;
    }
    template <class Body>
    std::int64_t sum(int count, const Body& body) {
        const auto call = [&body](int each) { return [&body, each] { return body(each); }; };
        using part = decltype(call(0));
        std::vector<part> parts;
        std::list<job_of<part>> jobs;
        parts.reserve(static_cast<std::size_t>(count));
        for (int each = 0; each != count; ++each) {
            parts.push_back(call(each));
            pool_.submit(jobs.emplace_back(parts.back()));
        }
        std::int64_t total = 0;
        for (job_of<part>& each : jobs) {
            pool_.wait(each);
            total += each.result;
        }
        return total;
    }

private:
    naive_pool pool_;
};

const registration registered{{"strict", "mutex-pool", contestants<stage>}};

} // namespace
} // namespace bench::strict
