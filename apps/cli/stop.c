#include "stop.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t asked;

/* The handler: nothing but a flag. */
static void note(int number) {
    (void)number;
    asked = 1;
}

/* Installs the handler for one signal. */
static void watch(int number) {
    struct sigaction now, wanted = {.sa_handler = note};
    if (sigaction(number, NULL, &now) != 0 || now.sa_handler == SIG_IGN) return;
    sigemptyset(&wanted.sa_mask);
    wanted.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigaction(number, &wanted, NULL);
}

void stop_watch(void) {
    watch(SIGINT);
    watch(SIGTERM);
    watch(SIGHUP);
}

bool stop_asked(void) { return asked != 0; }
