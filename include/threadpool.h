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

/** Threads that run tasks. */
struct thread_pool;
/** The result of a task, later. */
struct future;

/** A pool of exactly `nthreads` threads. If nthreads is less than 1, or a thread or memory cannot be had,
 * prints an error message, undoes what was done, and returns NULL. */
struct thread_pool* thread_pool_new(int nthreads);

/** Shuts the pool down in an orderly fashion and deallocates it: runs what was submitted, then ends and
 * joins the threads. Tasks that run may still submit. NULL is nothing. Aborts with a message when called
 * by a task of this pool. Futures of the pool may be asked and freed afterwards. */
void thread_pool_shutdown_and_destroy(struct thread_pool* pool);

/** A task: gets the pool that it runs in and the data given to thread_pool_submit; returns its result. */
/* NOLINTNEXTLINE(modernize-use-using) */
typedef void* (*fork_join_task_t)(struct thread_pool* pool, void* data);

/** Submits a task and returns a future of its result. From any thread, a task included. Returns NULL after
 * printing an error message if pool or task is NULL, if memory cannot be had, or if the pool is being shut
 * down and the caller is no task of it. */
struct future* thread_pool_submit(struct thread_pool* pool, fork_join_task_t task, void* data);

/** Makes sure that the task has been executed and returns its result. From any thread, also several times.
 * A task that calls this runs the other task itself if nobody has begun it; a thread that is no worker
 * waits. Aborts with a message where waiting could never end, or where the stack has too little room left
 * to run the task. NULL gives NULL. */
void* future_get(struct future* future);

/** Deallocates a future, after future_get, or before if its result is not wanted; the task is run all the
 * same. NULL is nothing. */
void future_free(struct future* future);

#ifdef __cplusplus
}
#endif
