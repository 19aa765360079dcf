// A lock-free stack, written once: the explorer checks it, then real threads run it.
#include <weft/explorer.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

using enum std::memory_order;
namespace explorer = weft::explorer;

namespace {

// [means]
/// What the stack is made of when it runs on the machine...
struct on_machine {
    template <class T>
    using atomic = std::atomic<T>;
    template <class T>
    using allocator = std::allocator<T>;

    template <class T>
    class plain {
    public:
        explicit plain(T value) : value_{std::move(value)} {}
        const T& read() const { return value_; }
        void write(T value) { value_ = std::move(value); }

    private:
        T value_;
    };
};

/// ...and when it is explored.
struct under_explorer {
    template <class T>
    using atomic = explorer::atomic<T>;
    template <class T>
    using allocator = explorer::allocator<T>;
    template <class T>
    using plain = explorer::plain<T>;
};
// [/means]

// [stack]
template <class Means>
class stack {
public:
    stack() = default;
    stack(const stack&) = delete;
    stack& operator=(const stack&) = delete;
    ~stack() { sum_of_all(); }

    void push(int value) {
        node* made = nodes::allocate(memory, 1);
        std::construct_at(made, value);
        node* top = top_.load(relaxed);
        do {
            made->next.write(top);
        } while (!top_.compare_exchange_weak(top, made, release, relaxed));
    }

    /// Takes one, if there is one. Wrong: another thread may still be reading what this one frees.
    bool pop() {
        node* top = top_.load(acquire);
        do {
            if (top == nullptr) return false;
        } while (!top_.compare_exchange_weak(top, top->next.read(), acquire, acquire));
        free(top);
        return true;
    }

    /// Takes all at once: nobody else can reach them any more.
    int sum_of_all() {
        int sum = 0;
        node* each = top_.exchange(nullptr, acquire);
        while (each != nullptr) {
            sum += each->value.read();
            free(std::exchange(each, each->next.read()));
        }
        return sum;
    }

private:
    struct node {
        explicit node(int of) : value{of} {}
        typename Means::template plain<int> value;
        typename Means::template plain<node*> next{nullptr};
    };
    using allocator = typename Means::template allocator<node>;
    using nodes = std::allocator_traits<allocator>;

    static void free(node* old) {
        std::destroy_at(old);
        nodes::deallocate(memory, old, 1);
    }

    static inline allocator memory;
    typename Means::template atomic<node*> top_{nullptr};
};
// [/stack]

// [scenarios]
void two_pop() {
    stack<under_explorer> some;
    some.push(1);
    some.push(2);
    explorer::together([&] { some.pop(); }, [&] { some.pop(); });
}

void two_push_and_one_takes_all() {
    stack<under_explorer> some;
    int taken = 0;
    explorer::together([&] { some.push(1); }, [&] { some.push(2); },
                       [&] { taken = some.sum_of_all(); });
    explorer::check(taken + some.sum_of_all() == 3, "what was pushed is taken once");
}
// [/scenarios]

bool is_as_told() {
    // [explore]
    using explorer::options;
    const auto pops = explorer::explore("two pop", options::weak(), two_pop);
    const auto takes =
        explorer::explore("push and take", options::weak(), two_push_and_one_takes_all);
    // [/explore]

    // [mutants]
    const auto mutants =
        explorer::mutate({{"push and take", options::weak(), two_push_and_one_takes_all}},
                         "explore_stack.cpp"); // only what stands in this file is changed
    std::fputs(mutants.summary().c_str(), stdout);
    // [/mutants]

    return pops.failure && pops.failure->kind == explorer::failure_kind::use_after_free &&
           takes.exhaustive && takes.passed() && mutants.all_caught();
}

bool runs_on_the_machine() {
    stack<on_machine> some;
    const auto push_many = [&] {
        for (int i = 0; i < 10'000; ++i) some.push(1);
    };
    {
        const std::jthread one{push_many};
        const std::jthread other{push_many};
    }
    return some.sum_of_all() == 20'000;
}

} // namespace

int main() { return is_as_told() && runs_on_the_machine() ? EXIT_SUCCESS : EXIT_FAILURE; }
