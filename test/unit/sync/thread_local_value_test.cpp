#include <weft/detail/sync/thread.hpp>
#include <weft/detail/sync/thread_local_value.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace weft::inline v0::sync {
namespace {

template <class T>
concept fits_a_slot = requires { typename thread_local_value<struct any_tag, T>; };

struct two_words {
    void* first;
    void* second;
};
static_assert(fits_a_slot<void*> && fits_a_slot<std::uint64_t> && fits_a_slot<bool>);
static_assert(!fits_a_slot<two_words> && !fits_a_slot<std::string>);

using number = thread_local_value<struct number_tag, std::uint64_t>;

/// What a thread of its own says.
template <class Question>
auto in_a_new_thread(Question question) {
    decltype(question()) answer{};
    thread{{}, [&] { answer = question(); }}.join();
    return answer;
}

TEST(thread_local_value, is_zero_at_the_start_of_each_thread) {
    // One after the other, since a new thread may get the memory of one that has ended.
    for (int count = 0; count < 5; ++count) {
        EXPECT_EQ(in_a_new_thread([] {
                      const auto at_start = number::get();
                      number::set(77);
                      return at_start;
                  }),
                  0U);
    }
}

TEST(thread_local_value, keeps_what_was_set) {
    EXPECT_EQ(in_a_new_thread([] {
                  number::set(5);
                  number::set(6);
                  return number::get();
              }),
              6U);
}

TEST(thread_local_value, is_each_threads_own) {
    number::set(1);
    EXPECT_EQ(in_a_new_thread([] {
                  number::set(2);
                  return number::get();
              }),
              2U);
    EXPECT_EQ(number::get(), 1U);
    number::set(0);
}

TEST(thread_local_value, is_distinguished_by_its_tag) {
    using first = thread_local_value<struct first_tag, int>;
    using second = thread_local_value<struct second_tag, int>;
    EXPECT_EQ(in_a_new_thread([] {
                  first::set(1);
                  const bool untouched = second::get() == 0;
                  second::set(2);
                  return untouched && first::get() == 1 && second::get() == 2;
              }),
              true);
}

TEST(thread_local_value, holds_a_pointer) {
    using pointer = thread_local_value<struct pointer_tag, const int*>;
    EXPECT_EQ(pointer::get(), nullptr);
    const int pointee = 3;
    pointer::set(&pointee);
    EXPECT_EQ(pointer::get(), &pointee);
    EXPECT_EQ(in_a_new_thread([] { return pointer::get(); }), nullptr);
    pointer::set(nullptr);
}

} // namespace
} // namespace weft::inline v0::sync
