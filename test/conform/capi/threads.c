/* Which threads there are, which of them run tasks, and what they cost. */
#include "harness.h"

#include <threadpool.h>

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void* on_which_thread(struct thread_pool* pool, void* data) {
    (void)pool;
    (void)data;
    return (void*)(intptr_t)gettid();
}

WEFT_CASE_ON_POOLS(a_pool_has_exactly_its_threads) {
    const int before = thread_count();
    struct thread_pool* pool = thread_pool_new(threads);
    WEFT_REQUIRE(thread_count() == before + threads);
    for (int i = 0; i < 1000; ++i) {
        struct future* future = thread_pool_submit(pool, on_which_thread, NULL);
        WEFT_REQUIRE(future_get(future) != NULL);
        future_free(future);
    }
    WEFT_REQUIRE(thread_count() == before + threads);
    thread_pool_shutdown_and_destroy(pool);
    WEFT_REQUIRE(thread_count_becomes(before));
}

/* As many tasks as threads wait for each other: this ends only if all run at once. */
static void* meet(struct thread_pool* pool, void* data) {
    (void)pool;
    pthread_barrier_wait(data);
    return (void*)(intptr_t)gettid();
}

WEFT_CASE_ON_POOLS(all_threads_of_a_pool_run_tasks_at_once) {
    enum { most = 64 };
    WEFT_REQUIRE(threads <= most);
    struct thread_pool* pool = thread_pool_new(threads);
    for (int round = 0; round < 5; ++round) {
        pthread_barrier_t barrier;
        pthread_barrier_init(&barrier, NULL, (unsigned)threads);
        struct future* futures[most];
        intptr_t ran_on[most];
        for (int i = 0; i < threads; ++i) futures[i] = thread_pool_submit(pool, meet, &barrier);
        for (int i = 0; i < threads; ++i) {
            ran_on[i] = (intptr_t)future_get(futures[i]);
            future_free(futures[i]);
            for (int j = 0; j < i; ++j) WEFT_REQUIRE(ran_on[i] != ran_on[j]);
        }
        pthread_barrier_destroy(&barrier);
    }
    thread_pool_shutdown_and_destroy(pool);
}

/* Everybody outside, the main thread included, submits and gets; whatever is run is run by the
 * pool's own threads. */
struct crowd {
    struct thread_pool* pool;
    struct thread_list* others; /* threads that were there before the pool */
    long rounds;
};

static void* child_on_which_thread(struct thread_pool* pool, void* data) {
    struct future* child = thread_pool_submit(pool, on_which_thread, data);
    const intptr_t ran_on = (intptr_t)future_get(child);
    future_free(child);
    const struct crowd* crowd = data;
    WEFT_REQUIRE(!thread_list_has(crowd->others, (pid_t)ran_on));
    return (void*)(intptr_t)gettid();
}

static void submit_and_get(void* data) {
    const struct crowd* crowd = data;
    for (long i = 0; i < crowd->rounds; ++i) {
        struct future* futures[8];
        for (int j = 0; j < 8; ++j) {
            futures[j] = thread_pool_submit(crowd->pool, child_on_which_thread, data);
            WEFT_REQUIRE(futures[j] != NULL);
        }
        for (int j = 7; j >= 0; --j) {
            const pid_t ran_on = (pid_t)(intptr_t)future_get(futures[j]);
            WEFT_REQUIRE(ran_on != gettid() && !thread_list_has(crowd->others, ran_on));
            future_free(futures[j]);
        }
    }
}

struct waiting_outsider {
    pthread_barrier_t* started;
    struct crowd* crowd;
};

static void join_the_crowd(void* data) {
    const struct waiting_outsider* self = data;
    pthread_barrier_wait(self->started); /* here */
    pthread_barrier_wait(self->started); /* the list of threads is made, and the pool */
    submit_and_get(self->crowd);
}

WEFT_CASE_ON_POOLS(threads_outside_submit_and_get_at_once_and_only_wait) {
    enum { outsiders = 16 };
    struct crowd crowd = {.rounds = scaled(20, 2000)};
    pthread_barrier_t started;
    pthread_barrier_init(&started, NULL, outsiders + 1);
    struct waiting_outsider one = {&started, &crowd};
    struct outsider* all[outsiders];
    for (int i = 0; i < outsiders; ++i) all[i] = outsider_start(join_the_crowd, &one);
    pthread_barrier_wait(&started);
    crowd.others = threads_now();
    WEFT_REQUIRE(thread_list_has(crowd.others, gettid()));
    crowd.pool = thread_pool_new(threads);
    pthread_barrier_wait(&started);
    submit_and_get(&crowd);
    for (int i = 0; i < outsiders; ++i) outsider_join(all[i]);
    thread_pool_shutdown_and_destroy(crowd.pool);
    free(crowd.others);
    pthread_barrier_destroy(&started);
}

/* One future, asked by many threads outside while its task is held back. */
struct held {
    pthread_mutex_t lock;
    struct future* future;
    atomic_int asking;
};

static void* wait_for_lock(struct thread_pool* pool, void* data) {
    (void)pool;
    struct held* held = data;
    pthread_mutex_lock(&held->lock);
    pthread_mutex_unlock(&held->lock);
    return held;
}

static void ask(void* data) {
    struct held* held = data;
    atomic_fetch_add(&held->asking, 1);
    WEFT_REQUIRE(future_get(held->future) == held);
}

WEFT_CASE_ON_POOLS(many_threads_outside_wait_for_one_task) {
    enum { outsiders = 16 };
    struct thread_pool* pool = thread_pool_new(threads);
    for (int round = 0; round < 10; ++round) {
        struct held held = {.asking = 0};
        pthread_mutex_init(&held.lock, NULL);
        pthread_mutex_lock(&held.lock);
        held.future = thread_pool_submit(pool, wait_for_lock, &held);
        struct outsider* all[outsiders];
        for (int i = 0; i < outsiders; ++i) all[i] = outsider_start(ask, &held);
        while (atomic_load(&held.asking) < outsiders) sched_yield();
        pthread_mutex_unlock(&held.lock);
        for (int i = 0; i < outsiders; ++i) outsider_join(all[i]);
        future_free(held.future);
        pthread_mutex_destroy(&held.lock);
    }
    thread_pool_shutdown_and_destroy(pool);
}

/* What the threads that are not in `others` have used so far. */
struct usage {
    unsigned long long switches; /* voluntary: they had gone to sleep */
    unsigned long long nanoseconds;
};

static unsigned long long read_number(const char* path, const char* after) {
    unsigned long long number = 0;
    char line[256];
    FILE* file = fopen(path, "r");
    WEFT_REQUIRE(file != NULL);
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        found = strncmp(line, after, strlen(after)) == 0;
        if (found) number = strtoull(line + strlen(after), NULL, 10);
    }
    WEFT_REQUIRE(found);
    fclose(file);
    return number;
}

static struct usage usage_of_workers(const struct thread_list* others) {
    struct usage sum = {0, 0};
    struct thread_list* all = threads_now();
    for (int i = 0; i < all->count; ++i) {
        if (thread_list_has(others, all->ids[i])) continue;
        char path[64];
        snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)all->ids[i]);
        sum.switches += read_number(path, "voluntary_ctxt_switches:");
        snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int)all->ids[i]);
        sum.nanoseconds += read_number(path, "");
    }
    free(all);
    return sum;
}

static void let_time_pass(long milliseconds) {
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Workers look for work for a moment before they sleep. The moment is long where other programs
 * have the CPUs, and a worker that was stopped and continued goes to sleep anew. But eventually
 * they do nothing at all. */
static bool come_to_rest(const struct thread_list* others, long seconds) {
    for (int i = 0; i < 100; ++i) {
        let_time_pass(100);
        const struct usage before = usage_of_workers(others);
        let_time_pass(seconds * 1000);
        const struct usage after = usage_of_workers(others);
        printf("%ld s: %llu switches, %llu ns\n", seconds, after.switches - before.switches,
               after.nanoseconds - before.nanoseconds);
        if (after.switches == before.switches && after.nanoseconds == before.nanoseconds)
            return true;
    }
    return false;
}

WEFT_CASE_ON_POOLS(an_idle_pool_uses_nothing) {
    const long seconds = scaled(1, 5);
    struct thread_list* others = threads_now();
    struct thread_pool* pool = thread_pool_new(threads);
    for (int used = 0; used < 2; ++used) { /* before it was ever used, and after */
        WEFT_REQUIRE(come_to_rest(others, seconds));
        for (int i = 0; i < 1000; ++i) {
            future_free(thread_pool_submit(pool, on_which_thread, NULL));
        }
    }
    thread_pool_shutdown_and_destroy(pool);
    free(others);
}
