/* Arguments outside their range, too deep a recursion, waiting that could never end. */
#include "harness.h"

#include <threadpool.h>

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void* nothing(struct thread_pool* pool, void* data) {
    (void)pool;
    return data;
}

WEFT_INNER(ask_for_no_threads) { WEFT_REQUIRE(thread_pool_new(0) == NULL); }
WEFT_INNER(ask_for_negative_threads) {
    WEFT_REQUIRE(thread_pool_new(-1) == NULL);
    WEFT_REQUIRE(thread_pool_new(INT_MIN) == NULL);
}

WEFT_CASE(a_pool_of_fewer_than_one_thread_is_refused_with_a_message) {
    const struct outcome none = run_inner("ask_for_no_threads");
    WEFT_REQUIRE(exited_well(&none) && strstr(none.messages, "thread_pool_new: ") != NULL);
    const struct outcome negative = run_inner("ask_for_negative_threads");
    WEFT_REQUIRE(exited_well(&negative) && strstr(negative.messages, "thread_pool_new: ") != NULL);
}

WEFT_INNER(ask_for_more_memory_than_there_is) {
    const struct rlimit little = {256UL << 20, 256UL << 20};
    WEFT_REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
    const int before = thread_count();
    for (int i = 0; i < 100; ++i) WEFT_REQUIRE(thread_pool_new(64) == NULL);
    WEFT_REQUIRE(thread_count_becomes(before));
}

WEFT_CASE(a_pool_that_does_not_fit_is_refused_with_a_message) {
    if (WEFT_SANITIZED) skip_case("sanitizers need more address space than any limit");
    const struct outcome ended = run_inner("ask_for_more_memory_than_there_is");
    WEFT_REQUIRE(exited_well(&ended) && strstr(ended.messages, "thread_pool_new: ") != NULL);
}

WEFT_INNER(submit_to_no_pool) { WEFT_REQUIRE(thread_pool_submit(NULL, nothing, NULL) == NULL); }
WEFT_INNER(submit_no_task) {
    struct thread_pool* pool = thread_pool_new(2);
    WEFT_REQUIRE(thread_pool_submit(pool, NULL, pool) == NULL);
    /* The pool is as good as before. */
    struct future* future = thread_pool_submit(pool, nothing, pool);
    WEFT_REQUIRE(future_get(future) == pool);
    future_free(future);
    thread_pool_shutdown_and_destroy(pool);
}

WEFT_CASE(submitting_null_is_refused_with_a_message) {
    const struct outcome pool = run_inner("submit_to_no_pool");
    WEFT_REQUIRE(exited_well(&pool) &&
                 strstr(pool.messages, "thread_pool_submit: the pool is NULL") != NULL);
    const struct outcome task = run_inner("submit_no_task");
    WEFT_REQUIRE(exited_well(&task) &&
                 strstr(task.messages, "thread_pool_submit: the task is NULL") != NULL);
}

WEFT_INNER(give_null_back) {
    future_free(NULL);
    thread_pool_shutdown_and_destroy(NULL);
    WEFT_REQUIRE(future_get(NULL) == NULL);
}

WEFT_CASE(null_is_nothing_to_get_to_free_or_to_shut_down) {
    const struct outcome ended = run_inner("give_null_back");
    WEFT_REQUIRE(exited_well(&ended) && ended.messages[0] == '\0');
}

/* Each level is a task that submits the next and joins it. */
static void* descend(struct thread_pool* pool, void* data) {
    const intptr_t levels = (intptr_t)data;
    if (levels == 0) return NULL;
    struct future* deeper = thread_pool_submit(pool, descend, (void*)(levels - 1));
    const intptr_t below = (intptr_t)future_get(deeper);
    future_free(deeper);
    return (void*)(below + 1);
}

WEFT_CASE_ON_POOLS(joins_nest_twenty_thousand_deep) {
    const intptr_t levels = WEFT_SANITIZED ? 2000 : 20000;
    struct thread_pool* pool = thread_pool_new(threads);
    struct future* future = thread_pool_submit(pool, descend, (void*)levels);
    WEFT_REQUIRE((intptr_t)future_get(future) == levels);
    future_free(future);
    thread_pool_shutdown_and_destroy(pool);
}

static void descend_too_deep(int threads) {
    struct thread_pool* pool = thread_pool_new(threads);
    future_get(thread_pool_submit(pool, descend, (void*)10000000));
}
WEFT_INNER(descend_too_deep_on_1) { descend_too_deep(1); }
WEFT_INNER(descend_too_deep_on_3) { descend_too_deep(3); }

WEFT_CASE(too_deep_a_recursion_aborts_and_says_why) {
    if (WEFT_THREAD_SANITIZED) skip_case("the thread sanitizer knows at most 65536 nested calls");
    const struct outcome one = run_inner("descend_too_deep_on_1");
    WEFT_REQUIRE(aborted_with(&one, "stack_exhausted"));
    const struct outcome three = run_inner("descend_too_deep_on_3");
    WEFT_REQUIRE(aborted_with(&three, "stack_exhausted"));
}

static void* shut_down(struct thread_pool* pool, void* data) {
    thread_pool_shutdown_and_destroy(pool);
    return data;
}

WEFT_INNER(shut_down_from_within) {
    struct thread_pool* pool = thread_pool_new(2);
    future_get(thread_pool_submit(pool, shut_down, NULL));
}

WEFT_CASE(a_task_that_shuts_its_own_pool_down_aborts_and_says_why) {
    const struct outcome ended = run_inner("shut_down_from_within");
    WEFT_REQUIRE(aborted_with(&ended, "thread_pool_shutdown_and_destroy: "));
    /* At once: nothing else has been tried that would have said more. */
    WEFT_REQUIRE(strstr(strchr(ended.messages, '\n') + 1, "terminate") == NULL);
}

/* Gives a task its own future, once it is known. */
struct own_future {
    _Atomic(struct future*) future;
};

static void* get_itself(struct thread_pool* pool, void* data) {
    (void)pool;
    struct own_future* own = data;
    struct future* future = NULL;
    while (future == NULL) future = atomic_load(&own->future);
    return future_get(future);
}

WEFT_INNER(join_oneself) {
    struct thread_pool* pool = thread_pool_new(2);
    struct own_future own = {NULL};
    struct future* future = thread_pool_submit(pool, get_itself, &own);
    atomic_store(&own.future, future);
    future_get(future);
}

/* The same by way of a task that is run in the join. */
static void* get_other(struct thread_pool* pool, void* data) {
    (void)pool;
    return future_get(data);
}

static void* get_itself_through_a_child(struct thread_pool* pool, void* data) {
    struct own_future* own = data;
    struct future* future = NULL;
    while (future == NULL) future = atomic_load(&own->future);
    return future_get(thread_pool_submit(pool, get_other, future));
}

WEFT_INNER(join_oneself_through_a_child) {
    struct thread_pool* pool = thread_pool_new(1);
    struct own_future own = {NULL};
    struct future* future = thread_pool_submit(pool, get_itself_through_a_child, &own);
    atomic_store(&own.future, future);
    future_get(future);
}

WEFT_CASE(a_task_that_waits_for_itself_aborts_and_says_why) {
    const struct outcome direct = run_inner("join_oneself");
    WEFT_REQUIRE(aborted_with(&direct, "would_deadlock"));
    const struct outcome through_child = run_inner("join_oneself_through_a_child");
    WEFT_REQUIRE(aborted_with(&through_child, "would_deadlock"));
}
