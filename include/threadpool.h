/** @file
 * A work-stealing fork/join thread pool, for C.
 *
 * Link with libweft_threadpool.a, -lstdc++ and -lpthread. These five functions are its only global
 * symbols. docs/threadpool.md has the details.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/** A pool of threads that run tasks. */
struct thread_pool;
/** The result of a task, available later. */
struct future;

/** Creates a pool of exactly `nthreads` threads. If nthreads is less than 1, or no thread or memory
 * is available, prints an error message, undoes what was done, and returns NULL. */
struct thread_pool* thread_pool_new(int nthreads);

/** Shuts the pool down in an orderly fashion and deallocates it: runs everything that was
 * submitted, then ends and joins the threads. Running tasks may still submit others. Does nothing
 * if pool is NULL. Aborts with a message when called by a task of this pool. Futures of the pool
 * may be used and freed afterwards. */
void thread_pool_shutdown_and_destroy(struct thread_pool* pool);

/** A task: called with its pool and the data given to thread_pool_submit; returns its result. */
/* NOLINTNEXTLINE(modernize-use-using) */
typedef void* (*fork_join_task_t)(struct thread_pool* pool, void* data);

/** Submits a task and returns a future of its result. May be called by any thread, including by
 * tasks. Prints an error message and returns NULL if pool or task is NULL, if no memory is
 * available, or if the pool is being shut down and the caller is not one of its tasks. */
struct future* thread_pool_submit(struct thread_pool* pool, fork_join_task_t task, void* data);

/** Waits until the task has run, and returns its result. May be called by any thread, any number of
 * times. A task that calls it runs the awaited task itself if that has not begun; a thread that is
 * not a worker sleeps. Aborts with a message if the awaited task is running on the caller's own
 * stack, or if too little stack is left to run it. Returns NULL if future is NULL. */
void* future_get(struct future* future);

/** Deallocates a future: after future_get, or before if its result is not needed; the task runs in
 * any case. Does nothing if future is NULL. */
void future_free(struct future* future);

#ifdef __cplusplus
}
#endif
