/* Threads of the tests on platforms without them: the function runs when the thread is created. */
#ifndef VOILE_TESTS_PORT_PTHREAD_H
#define VOILE_TESTS_PORT_PTHREAD_H

typedef int pthread_t;

static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *),
                                 void *arg) {
    (void)attributes;
    *thread = 0;
    run(arg);
    return 0;
}

static inline int pthread_join(pthread_t thread, void **result) {
    (void)thread, (void)result;
    return 0;
}

#endif
