// What `cluster::run` solves: problems that are divided into tasks.
#pragma once

#include <weft/detail/cluster/bytes.hpp>
#include <weft/detail/cluster/task_stack.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace weft::inline v0 {

namespace detail {
template <class Problem>
class problem_store;
} // namespace detail

/// Where a task adds further tasks. For the thread that runs the task, until `work` returns.
template <class Task>
class bag {
public:
    /// Some worker of some rank will run it. Throws std::bad_alloc.
    void add(Task task) { tasks_->push(std::move(task)); }

private:
    template <class Problem>
    friend class detail::problem_store;
    explicit bag(detail::task_stack<Task>& tasks) noexcept : tasks_{&tasks} {}
    detail::task_stack<Task>* tasks_;
};

namespace detail {

template <class Problem>
concept has_combine =
    requires(const Problem& problem, typename Problem::result& total,
             const typename Problem::result& part) { problem.combine(total, part); };
template <class Result>
concept is_addable = requires(Result& total, const Result& part) { total += part; };
template <class Problem>
concept has_name = requires {
    { Problem::name } -> std::convertible_to<std::string_view>;
};

template <class T>
concept is_sendable = std::default_initializable<T> && std::copyable<T> &&
                      requires(byte_writer& writer, byte_reader& reader, T& value) {
                          writer(value);
                          reader(value);
                      };

template <class Problem>
void combine_results(const Problem& problem, typename Problem::result& total,
                     const typename Problem::result& part) {
    if constexpr (has_combine<Problem>) problem.combine(total, part);
    else total += part;
}

/// FNV-1a: the same on every machine.
class identity_hash {
public:
    void add(std::string_view text) noexcept {
        for (const char each : text) add_byte(static_cast<unsigned char>(each));
        add_byte(0);
    }
    void add(std::uint64_t number) noexcept {
        for (unsigned shift = 0; shift != 64; shift += 8) {
            add_byte(static_cast<unsigned char>(number >> shift));
        }
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

private:
    void add_byte(unsigned char byte) noexcept { value_ = (value_ ^ byte) * 0x100000001B3; }
    std::uint64_t value_ = 0xCBF29CE484222325;
};

/// Of the names and the layout: two builds of the same source agree, unless the layout of a type
/// differs.
template <class Problem>
std::uint64_t identity_of() noexcept {
    using task_type = typename Problem::task;
    using result_type = typename Problem::result;
    identity_hash hash;
    if constexpr (has_name<Problem>) hash.add(std::string_view{Problem::name});
    else hash.add(typeid(Problem).name());
    hash.add(typeid(task_type).name());
    hash.add(typeid(result_type).name());
    for (const std::uint64_t each :
         {sizeof(task_type), alignof(task_type),
          std::uint64_t{std::is_trivially_copyable_v<task_type>}, sizeof(result_type),
          alignof(result_type), std::uint64_t{std::is_trivially_copyable_v<result_type>},
          std::uint64_t{std::endian::native == std::endian::little}}) {
        hash.add(each);
    }
    return hash.value();
}

} // namespace detail

/// A problem for `cluster::run`: what a task is, how it is worked on, and how results combine.
///
/// `work(task, bag, result)` works on one task, may add further tasks to the bag and changes a
/// partial result. `combine(total, part)` must be commutative and associative, with `result{}` as
/// its neutral value; without it `total += part` is used. Tasks and results travel as bytes: of
/// trivially copyable types as they are; strings, vectors, pairs and tuples by their elements;
/// others by a member `serialize(archive)` or function `serialize(archive, value)`, written as for
/// cereal. They must be copyable, and have a default constructor.
template <class Problem>
concept cluster_problem =
    detail::is_sendable<typename Problem::task> && detail::is_sendable<typename Problem::result> &&
    (detail::has_combine<Problem> || detail::is_addable<typename Problem::result>) &&
    requires(const Problem& problem, typename Problem::task task, bag<typename Problem::task>& bag,
             typename Problem::result& result) { problem.work(std::move(task), bag, result); };

} // namespace weft::inline v0
