/* Cases of the conformance tests of threadpool.h, and what they share.
 *
 * A case is a function of its own; the program runs the one that its argument names. Cases on pools
 * are run on pools of 1, 2, 3, 8 and 64 threads, one after the other.
 */
#pragma once

#include "support/sanitizers.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum case_kind {
    case_on_pools, /* gets the number of threads */
    case_once,     /* gets 0 */
    case_inner,    /* run by another case, in a process of its own */
};

struct test_case {
    const char* name;
    enum case_kind kind;
    void (*run)(int threads);
    struct test_case* next;
};

void add_case(struct test_case* added);

#define WEFT_ADD_CASE(name, kind)                                                                  \
    static void name(int threads);                                                                 \
    __attribute__((constructor)) static void add_##name(void) {                                    \
        static struct test_case added = {#name, kind, name, NULL};                                 \
        add_case(&added);                                                                          \
    }                                                                                              \
    static void name(__attribute__((unused)) int threads)

/* The lines that start so are also read by CMakeLists.txt: each is a test. */
#define WEFT_CASE_ON_POOLS(name) WEFT_ADD_CASE(name, case_on_pools)
#define WEFT_CASE(name) WEFT_ADD_CASE(name, case_once)
#define WEFT_INNER(name) WEFT_ADD_CASE(name, case_inner)

/* The case fails, with what was required, unless it holds. From any thread. */
#define WEFT_REQUIRE(condition)                                                                    \
    ((condition) ? (void)0 : requirement_failed(#condition, __FILE__, __LINE__))
_Noreturn void requirement_failed(const char* condition, const char* file, int line);

/* The case tests nothing in this build. */
_Noreturn void skip_case(const char* why);

/* `full` in a full run of the tests, else `reduced`. */
long scaled(long reduced, long full);

/* A thread of the test's own, which is joined later. */
struct outsider;
struct outsider* outsider_start(void (*body)(void* data), void* data);
void outsider_join(struct outsider* started);

/* The threads of this process. */
enum { most_threads = 4096 };
struct thread_list {
    int count;
    pid_t ids[most_threads];
};
struct thread_list* threads_now(void); /* to be freed */
bool thread_list_has(const struct thread_list* list, pid_t id);
int thread_count(void);
/* A thread that was joined is in the system's list for a moment longer: whether the count becomes
 * `wanted` before long. */
bool thread_count_becomes(int wanted);

/* This program once more, for an inner case. */
struct outcome {
    int status;          /* as from waitpid */
    char messages[4096]; /* the beginning of its stderr */
};
struct outcome run_inner(const char* name);
bool exited_well(const struct outcome* ended);
bool aborted_with(const struct outcome* ended, const char* message);
