#include "stop.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t asked;

/* The handler: a flag, and a word, since a frame may take its time. */
static void note(int number) {
    static const char text[] = "\nvoile: finishing this frame; once more ends at once\n";
    (void)number;
    asked = 1;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
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
