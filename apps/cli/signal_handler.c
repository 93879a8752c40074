#include "signal_handler.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t received, without_frame;

/* Sets the flag and prints a message, because the current frame may take long. */
static void handle_signal(int number) {
    static const char frame[] =
        "\nvoile: finishing this frame; press Ctrl-C again to end at once\n";
    static const char plain[] = "\nvoile: stopping; a second signal ends at once\n";
    (void)number;
    received = 1;
    ssize_t written = without_frame ? write(STDERR_FILENO, plain, sizeof plain - 1)
                                    : write(STDERR_FILENO, frame, sizeof frame - 1);
    (void)written;
}

/* Installs the handler for one signal. */
static void install_handler(int number) {
    struct sigaction now, wanted = {.sa_handler = handle_signal};
    if (sigaction(number, NULL, &now) != 0 || now.sa_handler == SIG_IGN) return;
    sigemptyset(&wanted.sa_mask);
    wanted.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigaction(number, &wanted, NULL);
}

void signal_install(void) {
    install_handler(SIGINT);
    install_handler(SIGTERM);
    install_handler(SIGHUP);
}

void signal_wait_for_frame(bool ends_frame) { without_frame = !ends_frame; }

bool signal_received(void) { return received != 0; }
