/* A program in which names of weft's inside mean something else. It links with the archive, and
 * neither takes the other's. */
#include <threadpool.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Whoever calls one of these got the wrong one. */
static void* wrong(void) {
    puts("the archive calls a function of the program");
    abort();
}

/* As they are called in object files: functions of weft, instances of templates, type information.
 */
void* _ZN4weft2v04poolC1ENS0_12pool_optionsE(void);
void* _ZN4weft2v04poolC1ENS0_12pool_optionsE(void) { return wrong(); }
void* _ZN4weft2v04poolD1Ev(void);
void* _ZN4weft2v04poolD1Ev(void) { return wrong(); }
void* _ZN4weft2v06detail9pool_core4stopENS0_7on_stopE(void);
void* _ZN4weft2v06detail9pool_core4stopENS0_7on_stopE(void) { return wrong(); }
void* _ZN4weft2v06detail13joinable_task4waitEPKc(void);
void* _ZN4weft2v06detail13joinable_task4waitEPKc(void) { return wrong(); }
void* _ZN4weft2v06detail13joinable_task6submitEPKc(void);
void* _ZN4weft2v06detail13joinable_task6submitEPKc(void) { return wrong(); }
void* _ZN4weft2v06detail13allocate_taskEm(void);
void* _ZN4weft2v06detail13allocate_taskEm(void) { return wrong(); }
void* _ZN4weft2v05errorC1ENS0_4errcESt17basic_string_viewIcSt11char_traitsIcEE(void);
void* _ZN4weft2v05errorC1ENS0_4errcESt17basic_string_viewIcSt11char_traitsIcEE(void) {
    return wrong();
}
void* _ZNSt6vectorISt10unique_ptrIN4weft2v06detail6workerESt14default_deleteIS4_EESaIS7_EED1Ev(
    void);
void* _ZNSt6vectorISt10unique_ptrIN4weft2v06detail6workerESt14default_deleteIS4_EESaIS7_EED1Ev(
    void) {
    return wrong();
}
int _ZTI6future = 1;
int _ZTV6future = 2;
int _ZTIN4weft2v05errorE = 3;
int _ZTVN4weft2v05errorE = 4;
int weft = 5;
void* weft_explorer_switch(void);
void* weft_explorer_switch(void) { return wrong(); }

static void* add_one(struct thread_pool* pool, void* data) {
    (void)pool;
    return (char*)data + 1;
}

int main(void) {
    char text[2];
    struct thread_pool* pool = thread_pool_new(3);
    if (pool == NULL) return 1;
    for (int i = 0; i < 100; ++i) {
        struct future* future = thread_pool_submit(pool, add_one, text);
        if (future_get(future) != text + 1) return 1;
        future_free(future);
    }
    thread_pool_shutdown_and_destroy(pool);
    const int own = _ZTI6future + _ZTV6future + _ZTIN4weft2v05errorE + _ZTVN4weft2v05errorE + weft;
    return thread_pool_new(0) == NULL && own == 15 ? 0 : 1;
}
