/* Handles the closing of the terminal for commands that run until they are stopped. */

#include "output/terminal.h"

#include <stddef.h>

static void
stop_at_hangup(int signal)
{
    (void)signal;
    raise(SIGTERM);
}

struct terminal
terminal_hold(void)
{
    struct terminal before;

    sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, &before.pipe);
    sigaction(SIGHUP, NULL, &before.hangup);
    if (before.hangup.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &(struct sigaction){ .sa_handler = stop_at_hangup }, NULL);
    }
    return before;
}

void
terminal_let_go(const struct terminal *before)
{
    sigaction(SIGPIPE, &before->pipe, NULL);
    sigaction(SIGHUP, &before->hangup, NULL);
}
