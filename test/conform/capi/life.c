/* Tasks that nobody joins, shutting down, and futures that outlive their pool. */
#include "harness.h"

#include <threadpool.h>

#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>

static void* count(struct thread_pool* pool, void* data) {
    (void)pool;
    atomic_fetch_add((atomic_int*)data, 1);
    return data;
}

static void* post(struct thread_pool* pool, void* data) {
    (void)pool;
    sem_post(data);
    return NULL;
}

/* As sem_wait, which a signal may interrupt. */
static void await(sem_t* semaphore) {
    while (sem_wait(semaphore) != 0) {
    }
}

WEFT_CASE_ON_POOLS(a_queued_task_runs_without_get) {
    struct thread_pool* pool = thread_pool_new(threads);
    sem_t ran;
    sem_init(&ran, 0, 0);
    struct future* futures[100];
    for (int i = 0; i < 100; ++i) futures[i] = thread_pool_submit(pool, post, &ran);
    for (int i = 0; i < 100; ++i) await(&ran);
    for (int i = 0; i < 100; ++i) future_free(futures[i]);
    thread_pool_shutdown_and_destroy(pool);
    sem_destroy(&ran);
}

WEFT_CASE_ON_POOLS(a_task_runs_whose_future_was_freed_at_once) {
    struct thread_pool* pool = thread_pool_new(threads);
    sem_t ran;
    sem_init(&ran, 0, 0);
    for (int i = 0; i < 1000; ++i) future_free(thread_pool_submit(pool, post, &ran));
    for (int i = 0; i < 1000; ++i) await(&ran);
    thread_pool_shutdown_and_destroy(pool);
    sem_destroy(&ran);
}

static void* submit_and_forget(struct thread_pool* pool, void* data) {
    for (int i = 0; i < 100; ++i) future_free(thread_pool_submit(pool, count, data));
    return NULL;
}

WEFT_CASE_ON_POOLS(shutdown_runs_what_is_queued) {
    for (int round = 0; round < 10; ++round) {
        struct thread_pool* pool = thread_pool_new(threads);
        atomic_int ran = 0;
        struct future* futures[200];
        for (int i = 0; i < 200; ++i) futures[i] = thread_pool_submit(pool, count, &ran);
        future_free(thread_pool_submit(pool, submit_and_forget, &ran));
        thread_pool_shutdown_and_destroy(pool);
        WEFT_REQUIRE(atomic_load(&ran) == 300);
        for (int i = 0; i < 200; ++i) future_free(futures[i]);
    }
}

WEFT_CASE_ON_POOLS(futures_may_be_asked_and_freed_after_the_pool) {
    struct thread_pool* pool = thread_pool_new(threads);
    atomic_int ran = 0;
    struct future* futures[200];
    for (int i = 0; i < 200; ++i) futures[i] = thread_pool_submit(pool, count, &ran);
    thread_pool_shutdown_and_destroy(pool);
    for (int i = 0; i < 200; ++i) {
        if (i % 2 == 0) WEFT_REQUIRE(future_get(futures[i]) == &ran);
        future_free(futures[i]);
    }
}

/* A task is held until the pool takes no more tasks from outside, which another thread finds out by
 * submitting some. */
struct closing {
    struct thread_pool* pool;
    sem_t closed;
    atomic_int ran;
    int accepted;
};

static void submit_until_refused(void* data) {
    struct closing* closing = data;
    for (;;) {
        struct future* future = thread_pool_submit(closing->pool, count, &closing->ran);
        if (future == NULL) break;
        ++closing->accepted;
        future_free(future);
    }
    sem_post(&closing->closed);
}

static void* submit_when_closed(struct thread_pool* pool, void* data) {
    struct closing* closing = data;
    await(&closing->closed);
    for (int i = 0; i < 50; ++i) {
        struct future* joined = thread_pool_submit(pool, count, &closing->ran);
        WEFT_REQUIRE(joined != NULL);
        WEFT_REQUIRE(future_get(joined) == &closing->ran);
        future_free(joined);
        future_free(thread_pool_submit(pool, count, &closing->ran));
    }
    future_free(thread_pool_submit(pool, submit_and_forget, &closing->ran));
    return NULL;
}

WEFT_CASE_ON_POOLS(running_tasks_may_submit_during_shutdown_and_nobody_else) {
    struct closing closing = {.pool = thread_pool_new(threads)};
    sem_init(&closing.closed, 0, 0);
    struct future* held = thread_pool_submit(closing.pool, submit_when_closed, &closing);
    struct outsider* outsider = outsider_start(submit_until_refused, &closing);
    thread_pool_shutdown_and_destroy(closing.pool);
    outsider_join(outsider);
    WEFT_REQUIRE(atomic_load(&closing.ran) == 200 + closing.accepted);
    WEFT_REQUIRE(future_get(held) == NULL);
    future_free(held);
    sem_destroy(&closing.closed);
}

WEFT_CASE_ON_POOLS(pools_come_and_go) {
    const int before = thread_count();
    for (long round = 0; round < scaled(20, 500); ++round) {
        struct thread_pool* pool = thread_pool_new(threads);
        atomic_int ran = 0;
        if (round % 2 == 0) future_free(thread_pool_submit(pool, count, &ran));
        thread_pool_shutdown_and_destroy(pool);
        WEFT_REQUIRE(atomic_load(&ran) == (round % 2 == 0));
    }
    WEFT_REQUIRE(thread_count_becomes(before));
}

enum { pool_count = 40 };

WEFT_CASE_ON_POOLS(forty_pools_live_at_once) {
    const int each = threads < 8 ? threads : 8;
    struct thread_pool* pools[pool_count];
    struct future* futures[pool_count][10];
    atomic_int ran = 0;
    const int before = thread_count();
    for (int p = 0; p < pool_count; ++p) WEFT_REQUIRE((pools[p] = thread_pool_new(each)) != NULL);
    WEFT_REQUIRE(thread_count() == before + pool_count * each);
    for (int i = 0; i < 10; ++i) {
        for (int p = 0; p < pool_count; ++p) {
            futures[p][i] = thread_pool_submit(pools[p], count, &ran);
        }
    }
    for (int p = 0; p < pool_count; ++p) {
        for (int i = 0; i < 10; ++i) {
            WEFT_REQUIRE(future_get(futures[p][i]) == &ran);
            future_free(futures[p][i]);
        }
    }
    WEFT_REQUIRE(atomic_load(&ran) == pool_count * 10);
    /* Not in the order in which they were made. */
    for (int p = 0; p < pool_count; p += 2) thread_pool_shutdown_and_destroy(pools[p]);
    for (int p = pool_count - 1; p > 0; p -= 2) thread_pool_shutdown_and_destroy(pools[p]);
    WEFT_REQUIRE(thread_count_becomes(before));
}

/* A task of one pool submits to another pool, and joins there. */
struct neighbours {
    struct thread_pool* here;
    struct thread_pool* there;
    atomic_int ran;
};

static void* count_there(struct thread_pool* pool, void* data) {
    struct neighbours* both = data;
    WEFT_REQUIRE(pool == both->there);
    struct future* child = thread_pool_submit(pool, count, &both->ran);
    future_get(child);
    future_free(child);
    return &both->ran;
}

static void* use_the_other(struct thread_pool* pool, void* data) {
    struct neighbours* both = data;
    WEFT_REQUIRE(pool == both->here);
    struct future* futures[10];
    for (int i = 0; i < 10; ++i) futures[i] = thread_pool_submit(both->there, count_there, both);
    for (int i = 0; i < 10; ++i) {
        WEFT_REQUIRE(future_get(futures[i]) == &both->ran);
        future_free(futures[i]);
    }
    return NULL;
}

WEFT_CASE_ON_POOLS(a_pool_may_use_another) {
    struct neighbours both = {thread_pool_new(threads), thread_pool_new(threads), 0};
    struct future* futures[20];
    for (int i = 0; i < 20; ++i) futures[i] = thread_pool_submit(both.here, use_the_other, &both);
    for (int i = 0; i < 20; ++i) {
        future_get(futures[i]);
        future_free(futures[i]);
    }
    WEFT_REQUIRE(atomic_load(&both.ran) == 200);
    thread_pool_shutdown_and_destroy(both.here);
    thread_pool_shutdown_and_destroy(both.there);
}

/* Tasks that submit without joining may go back and forth. */
struct ping_pong {
    struct neighbours pools;
    int hops;
    sem_t end;
};

static void* hop(struct thread_pool* pool, void* data) {
    struct ping_pong* game = data;
    struct thread_pool* other = pool == game->pools.here ? game->pools.there : game->pools.here;
    if (game->hops-- > 0) future_free(thread_pool_submit(other, hop, game));
    else sem_post(&game->end);
    return NULL;
}

WEFT_CASE_ON_POOLS(pools_may_submit_to_each_other) {
    struct ping_pong game = {.pools = {thread_pool_new(threads), thread_pool_new(threads), 0},
                             .hops = (int)scaled(500, 50000)};
    sem_init(&game.end, 0, 0);
    future_free(thread_pool_submit(game.pools.here, hop, &game));
    await(&game.end);
    thread_pool_shutdown_and_destroy(game.pools.here);
    thread_pool_shutdown_and_destroy(game.pools.there);
    sem_destroy(&game.end);
}

/* A task may also make a pool of its own, and end it. */
static void* use_a_pool_of_its_own(struct thread_pool* pool, void* data) {
    (void)pool;
    struct thread_pool* own = thread_pool_new(2);
    WEFT_REQUIRE(own != NULL);
    for (int i = 0; i < 10; ++i) future_free(thread_pool_submit(own, count, data));
    thread_pool_shutdown_and_destroy(own);
    return NULL;
}

WEFT_CASE_ON_POOLS(a_task_may_have_a_pool_of_its_own) {
    struct thread_pool* pool = thread_pool_new(threads);
    atomic_int ran = 0;
    for (int i = 0; i < 8; ++i) {
        future_free(thread_pool_submit(pool, use_a_pool_of_its_own, &ran));
    }
    thread_pool_shutdown_and_destroy(pool);
    WEFT_REQUIRE(atomic_load(&ran) == 80);
}
