/* Joins by tasks and threads, at all times and in all orders. */
#include "harness.h"

#include <threadpool.h>

#include <stdint.h>
#include <stdlib.h>

enum { child_count = 500 };
enum join_order { in_submission_order, in_reverse_order, in_random_order };

static void* square(struct thread_pool* pool, void* data) {
    (void)pool;
    const intptr_t n = (intptr_t)data;
    return (void*)(n * n);
}

static void put_in_order(int* places, enum join_order order) {
    unsigned random = 7;
    for (int i = 0; i < child_count; ++i) {
        places[i] = order == in_reverse_order ? child_count - 1 - i : i;
    }
    for (int i = child_count - 1; order == in_random_order && i > 0; --i) {
        random = random * 1664525U + 1013904223U;
        const int other = (int)((random >> 8) % (unsigned)(i + 1));
        const int kept = places[i];
        places[i] = places[other];
        places[other] = kept;
    }
}

static void submit_and_join(struct thread_pool* pool, enum join_order order) {
    struct future* children[child_count];
    int places[child_count];
    put_in_order(places, order);
    for (intptr_t i = 0; i < child_count; ++i) {
        children[i] = thread_pool_submit(pool, square, (void*)i);
        WEFT_REQUIRE(children[i] != NULL);
    }
    for (int i = 0; i < child_count; ++i) {
        const intptr_t place = places[i];
        WEFT_REQUIRE((intptr_t)future_get(children[place]) == place * place);
        future_free(children[place]);
    }
}

static void* submit_and_join_in_task(struct thread_pool* pool, void* data) {
    submit_and_join(pool, (enum join_order)(intptr_t)data);
    return NULL;
}

static void join_inside_and_outside(int threads, enum join_order order) {
    struct thread_pool* pool = thread_pool_new(threads);
    struct future* task = thread_pool_submit(pool, submit_and_join_in_task, (void*)(intptr_t)order);
    submit_and_join(pool, order);
    future_get(task);
    future_free(task);
    thread_pool_shutdown_and_destroy(pool);
}

WEFT_CASE_ON_POOLS(tasks_may_be_joined_in_the_order_of_submission) {
    join_inside_and_outside(threads, in_submission_order);
}
WEFT_CASE_ON_POOLS(tasks_may_be_joined_in_reverse_order) {
    join_inside_and_outside(threads, in_reverse_order);
}
WEFT_CASE_ON_POOLS(tasks_may_be_joined_in_any_order) {
    join_inside_and_outside(threads, in_random_order);
}

/* A tree whose nodes have several children: joins nest, and on one thread every one of them runs
 * the task that it waits for. */
static void* tree(struct thread_pool* pool, void* data) {
    const intptr_t height = (intptr_t)data;
    intptr_t nodes = 1;
    if (height == 0) return (void*)nodes;
    struct future* children[4];
    for (int i = 0; i < 4; ++i) children[i] = thread_pool_submit(pool, tree, (void*)(height - 1));
    for (int i = 0; i < 4; ++i) {
        nodes += (intptr_t)future_get(children[i]);
        future_free(children[i]);
    }
    return (void*)nodes;
}

WEFT_CASE_ON_POOLS(joins_nest) {
    struct thread_pool* pool = thread_pool_new(threads);
    struct future* root = thread_pool_submit(pool, tree, (void*)5);
    WEFT_REQUIRE((intptr_t)future_get(root) == (1024 * 4 - 1) / 3);
    future_free(root);
    thread_pool_shutdown_and_destroy(pool);
}

/* Not fully strict: a future is joined by another task than the one that made it. */
struct relay {
    struct future* before;
    intptr_t own;
};

static void* add_to_before(struct thread_pool* pool, void* data) {
    (void)pool;
    const struct relay* relay = data;
    const intptr_t before = relay->before != NULL ? (intptr_t)future_get(relay->before) : 0;
    return (void*)(before + relay->own);
}

static intptr_t sum_along_a_relay(struct thread_pool* pool, intptr_t length) {
    struct relay* relays = calloc((size_t)length, sizeof *relays);
    struct future** futures = calloc((size_t)length, sizeof(struct future*));
    for (intptr_t i = 0; i < length; ++i) {
        relays[i] = (struct relay){i > 0 ? futures[i - 1] : NULL, i};
        futures[i] = thread_pool_submit(pool, add_to_before, &relays[i]);
    }
    const intptr_t sum = (intptr_t)future_get(futures[length - 1]);
    for (intptr_t i = 0; i < length; ++i) future_free(futures[i]);
    free(futures);
    free(relays);
    return sum;
}

static void* relay_in_task(struct thread_pool* pool, void* data) {
    return (void*)sum_along_a_relay(pool, (intptr_t)data);
}

WEFT_CASE_ON_POOLS(futures_may_be_passed_on_and_joined_elsewhere) {
    enum { length = 1000 };
    struct thread_pool* pool = thread_pool_new(threads);
    struct future* task = thread_pool_submit(pool, relay_in_task, (void*)(intptr_t)length);
    WEFT_REQUIRE(sum_along_a_relay(pool, length) == length * (length - 1) / 2);
    WEFT_REQUIRE((intptr_t)future_get(task) == length * (length - 1) / 2);
    future_free(task);
    thread_pool_shutdown_and_destroy(pool);
}

/* Many tasks and the main thread wait for one task at once; each asks several times. */
static void* ask_thrice(struct thread_pool* pool, void* data) {
    (void)pool;
    struct future* shared = data;
    void* first = future_get(shared);
    WEFT_REQUIRE(future_get(shared) == first && future_get(shared) == first);
    return first;
}

WEFT_CASE_ON_POOLS(a_future_may_be_asked_several_times_and_by_several) {
    struct thread_pool* pool = thread_pool_new(threads);
    for (intptr_t round = 0; round < scaled(50, 1000); ++round) {
        struct future* shared = thread_pool_submit(pool, tree, (void*)3);
        struct future* asking[20];
        for (int i = 0; i < 20; ++i) asking[i] = thread_pool_submit(pool, ask_thrice, shared);
        WEFT_REQUIRE(future_get(shared) == (void*)85);
        for (int i = 0; i < 20; ++i) {
            WEFT_REQUIRE(future_get(asking[i]) == (void*)85);
            future_free(asking[i]);
        }
        WEFT_REQUIRE(future_get(shared) == (void*)85);
        future_free(shared);
    }
    thread_pool_shutdown_and_destroy(pool);
}
