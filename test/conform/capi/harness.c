#include "harness.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct test_case* first_case;

void add_case(struct test_case* added) {
    added->next = first_case;
    first_case = added;
}

_Noreturn void requirement_failed(const char* condition, const char* file, int line) {
    fprintf(stderr, "%s:%d: required: %s\n", file, line, condition);
    _exit(1);
}

_Noreturn void skip_case(const char* why) {
    printf("skipped: %s\n", why);
    exit(77); /* SKIP_RETURN_CODE of the test */
}

long scaled(long reduced, long full) { return getenv("WEFT_FULL") != NULL ? full : reduced; }

struct outsider {
    pthread_t thread;
    void (*body)(void* data);
    void* data;
};

static void* run_outsider(void* started) {
    struct outsider* self = started;
    self->body(self->data);
    return NULL;
}

struct outsider* outsider_start(void (*body)(void* data), void* data) {
    struct outsider* started = malloc(sizeof *started);
    WEFT_REQUIRE(started != NULL);
    started->body = body;
    started->data = data;
    WEFT_REQUIRE(pthread_create(&started->thread, NULL, run_outsider, started) == 0);
    return started;
}

void outsider_join(struct outsider* started) {
    WEFT_REQUIRE(pthread_join(started->thread, NULL) == 0);
    free(started);
}

/* A thread that was joined is in the kernel's list for a moment longer, and a long one if the
 * machine is busy. */
static bool has_begun_to_end(const char* id) {
    enum { exiting = 4 }; /* PF_EXITING, set before any thread can have joined it */
    char path[64];
    char line[1024] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", id);
    FILE* file = fopen(path, "r");
    if (file == NULL) return true;
    const bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    const char* rest = strrchr(line, ')'); /* of the name, which may hold anything */
    unsigned flags = exiting;
    return !read || rest == NULL || sscanf(rest, ") %*c %*d %*d %*d %*d %*d %u", &flags) != 1 ||
           (flags & exiting) != 0;
}

struct thread_list* threads_now(void) {
    struct thread_list* list = calloc(1, sizeof *list);
    DIR* tasks = opendir("/proc/self/task");
    WEFT_REQUIRE(list != NULL && tasks != NULL);
    for (struct dirent* each = readdir(tasks); each != NULL; each = readdir(tasks)) {
        if (each->d_name[0] == '.' || has_begun_to_end(each->d_name)) continue;
        WEFT_REQUIRE(list->count < most_threads);
        list->ids[list->count++] = (pid_t)strtol(each->d_name, NULL, 10);
    }
    closedir(tasks);
    return list;
}

bool thread_list_has(const struct thread_list* list, pid_t id) {
    for (int i = 0; i < list->count; ++i) {
        if (list->ids[i] == id) return true;
    }
    return false;
}

int thread_count(void) {
    struct thread_list* list = threads_now();
    const int count = list->count;
    free(list);
    return count;
}

bool thread_count_becomes(int wanted) {
    const struct timespec nap = {.tv_nsec = 1000 * 1000};
    for (int i = 0; i < 30 * 1000; ++i) {
        if (thread_count() == wanted) return true;
        nanosleep(&nap, NULL);
    }
    return false;
}

static _Noreturn void become_inner(const char* name, int messages) {
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(messages, STDERR_FILENO);
    execl("/proc/self/exe", "capi_tests", name, (char*)NULL);
    _exit(127);
}

struct outcome run_inner(const char* name) {
    struct outcome ended = {0};
    int ends[2];
    WEFT_REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    WEFT_REQUIRE(child >= 0);
    if (child == 0) become_inner(name, ends[1]);
    close(ends[1]);
    size_t length = 0;
    for (;;) {
        char rest[4096];
        const ssize_t got = read(ends[0], rest, sizeof rest);
        if (got <= 0) break;
        for (ssize_t i = 0; i < got && length + 1 < sizeof ended.messages; ++i) {
            ended.messages[length++] = rest[i];
        }
    }
    close(ends[0]);
    WEFT_REQUIRE(waitpid(child, &ended.status, 0) == child);
    printf("%s: status %#x, said: %s\n", name, (unsigned)ended.status, ended.messages);
    return ended;
}

bool exited_well(const struct outcome* ended) {
    return WIFEXITED(ended->status) && WEXITSTATUS(ended->status) == 0;
}

bool aborted_with(const struct outcome* ended, const char* message) {
    return WIFSIGNALED(ended->status) && WTERMSIG(ended->status) == SIGABRT &&
           strstr(ended->messages, message) != NULL;
}

static void do_nothing(void* data) { (void)data; }

static void run_case(const struct test_case* chosen) {
    static const int sizes[] = {1, 2, 3, 8, 64};
    /* A sanitizer starts a thread of its own with the first of ours. */
    outsider_join(outsider_start(do_nothing, NULL));
    if (chosen->kind != case_on_pools) {
        chosen->run(0);
        return;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        printf("%s on %d threads\n", chosen->name, sizes[i]);
        fflush(stdout);
        chosen->run(sizes[i]);
    }
}

int main(int count, char** arguments) {
    for (const struct test_case* each = first_case; each != NULL; each = each->next) {
        if (count == 1) {
            if (each->kind != case_inner) puts(each->name);
        } else if (strcmp(each->name, arguments[1]) == 0) {
            run_case(each);
            return 0;
        }
    }
    if (count > 1) fprintf(stderr, "there is no case %s\n", arguments[1]);
    return count > 1;
}
