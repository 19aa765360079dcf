/* The example of docs/threadpool.md; also what valgrind looks at. */
#include <threadpool.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

// [fibonacci]
static void* fibonacci(struct thread_pool* pool, void* data) {
    const intptr_t n = (intptr_t)data;
    if (n < 2) return data;
    struct future* child = thread_pool_submit(pool, fibonacci, (void*)(n - 1));
    const intptr_t second = (intptr_t)fibonacci(pool, (void*)(n - 2));
    const intptr_t first = (intptr_t)future_get(child);
    future_free(child);
    return (void*)(first + second);
}
// [/fibonacci]

static void* submit_and_get(void* pool) {
    for (int i = 0; i < 20; ++i) {
        struct future* future = thread_pool_submit(pool, fibonacci, (void*)5);
        if (future_get(future) != (void*)5) return pool;
        future_free(future);
    }
    return NULL;
}

/* Three threads outside the pool, tasks that nobody joins, and one that is asked after the pool. */
static int use_from_outside(void) {
    struct thread_pool* pool = thread_pool_new(3);
    pthread_t outside[3];
    int wrong = 0;
    for (int i = 0; i < 3; ++i) pthread_create(&outside[i], NULL, submit_and_get, pool);
    for (int i = 0; i < 50; ++i) future_free(thread_pool_submit(pool, fibonacci, (void*)3));
    for (int i = 0; i < 3; ++i) {
        void* result = NULL;
        pthread_join(outside[i], &result);
        wrong += result != NULL;
    }
    struct future* late = thread_pool_submit(pool, fibonacci, (void*)10);
    thread_pool_shutdown_and_destroy(pool);
    wrong += future_get(late) != (void*)55;
    future_free(late);
    return wrong;
}

int main(void) {
    // [use]
    struct thread_pool* pool = thread_pool_new(4);
    if (pool == NULL) return 1; /* it has said why */

    struct future* root = thread_pool_submit(pool, fibonacci, (void*)15);
    printf("fibonacci(15) = %d\n", (int)(intptr_t)future_get(root));
    future_free(root);

    thread_pool_shutdown_and_destroy(pool);
    // [/use]
    return use_from_outside();
}
