/* A program of somebody who uses the C interface. */
#include <threadpool.h>

#include <stddef.h>
#include <stdint.h>

static void* fib(struct thread_pool* pool, void* data) {
    const uintptr_t n = (uintptr_t)data;
    if (n < 2) return data;
    struct future* left = thread_pool_submit(pool, fib, (void*)(n - 1));
    const uintptr_t right = (uintptr_t)fib(pool, (void*)(n - 2));
    const uintptr_t sum = (uintptr_t)future_get(left) + right;
    future_free(left);
    return (void*)sum;
}

int main(void) {
    struct thread_pool* pool = thread_pool_new(2);
    if (pool == NULL) return 1;
    struct future* result = thread_pool_submit(pool, fib, (void*)(uintptr_t)15);
    const int good = (uintptr_t)future_get(result) == 610;
    future_free(result);
    thread_pool_shutdown_and_destroy(pool);
    return good ? 0 : 1;
}
