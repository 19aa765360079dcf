/* What comes back. */
#include "harness.h"

#include <threadpool.h>

#include <stdint.h>
#include <stdlib.h>

struct seen {
    struct thread_pool* pool;
    void* data;
};

static void* look(struct thread_pool* pool, void* data) {
    struct seen* seen = data;
    seen->pool = pool;
    seen->data = data;
    return &seen->data;
}

WEFT_CASE_ON_POOLS(a_task_gets_its_pool_and_data_and_returns_its_result) {
    struct thread_pool* pool = thread_pool_new(threads);
    WEFT_REQUIRE(pool != NULL);
    for (int i = 0; i < 1000; ++i) {
        struct seen seen = {NULL, NULL};
        struct future* future = thread_pool_submit(pool, look, &seen);
        WEFT_REQUIRE(future != NULL);
        WEFT_REQUIRE(future_get(future) == &seen.data);
        WEFT_REQUIRE(seen.pool == pool && seen.data == &seen);
        future_free(future);
    }
    thread_pool_shutdown_and_destroy(pool);
}

static void* give_back(struct thread_pool* pool, void* data) {
    (void)pool;
    return data;
}

WEFT_CASE_ON_POOLS(data_and_result_may_be_null) {
    struct thread_pool* pool = thread_pool_new(threads);
    struct future* future = thread_pool_submit(pool, give_back, NULL);
    WEFT_REQUIRE(future_get(future) == NULL);
    future_free(future);
    thread_pool_shutdown_and_destroy(pool);
}

static void* fibonacci(struct thread_pool* pool, void* data) {
    const intptr_t n = (intptr_t)data;
    if (n < 2) return data;
    struct future* child = thread_pool_submit(pool, fibonacci, (void*)(n - 1));
    const intptr_t second = (intptr_t)fibonacci(pool, (void*)(n - 2));
    const intptr_t first = (intptr_t)future_get(child);
    future_free(child);
    return (void*)(first + second);
}

WEFT_CASE_ON_POOLS(fork_and_join_compute_a_tree) {
    static const intptr_t expected[] = {1597, 121393};
    const long full = scaled(0, 1);
    struct thread_pool* pool = thread_pool_new(threads);
    struct future* root = thread_pool_submit(pool, fibonacci, (void*)(intptr_t)(full ? 26 : 17));
    WEFT_REQUIRE((intptr_t)future_get(root) == expected[full]);
    future_free(root);
    thread_pool_shutdown_and_destroy(pool);
}

struct span {
    int* first;
    size_t count;
};

static int in_order(const void* a, const void* b) {
    const int left = *(const int*)a;
    const int right = *(const int*)b;
    return (left > right) - (left < right);
}

static size_t partition(const struct span* span) {
    int* first = span->first;
    const int pivot = first[span->count / 2];
    size_t low = 0;
    size_t high = span->count - 1;
    for (;;) {
        while (first[low] < pivot) ++low;
        while (first[high] > pivot) --high;
        if (low >= high) return high + 1;
        const int kept = first[low];
        first[low++] = first[high];
        first[high--] = kept;
    }
}

static void* sort(struct thread_pool* pool, void* data) {
    const struct span* span = data;
    if (span->count < 100) {
        qsort(span->first, span->count, sizeof(int), in_order);
        return NULL;
    }
    const size_t middle = partition(span);
    struct span lower = {span->first, middle};
    struct span upper = {span->first + middle, span->count - middle};
    struct future* future = thread_pool_submit(pool, sort, &lower);
    sort(pool, &upper);
    future_get(future);
    future_free(future);
    return NULL;
}

WEFT_CASE_ON_POOLS(what_a_task_writes_is_seen_by_the_joiner) {
    const size_t count = (size_t)scaled(100 * 1000, 3000 * 1000);
    int* numbers = malloc(count * sizeof *numbers);
    unsigned random = 1;
    for (size_t i = 0; i < count; ++i) {
        random = random * 1664525U + 1013904223U;
        numbers[i] = (int)(random >> 2);
    }
    struct thread_pool* pool = thread_pool_new(threads);
    struct span all = {numbers, count};
    struct future* future = thread_pool_submit(pool, sort, &all);
    future_get(future);
    future_free(future);
    for (size_t i = 1; i < count; ++i) WEFT_REQUIRE(numbers[i - 1] <= numbers[i]);
    thread_pool_shutdown_and_destroy(pool);
    free(numbers);
}
