/* Handles the terminal of a command that runs until it is stopped: a lab or a switch.  When the
 * terminal is closed, for example at the end of an ssh session, the command stops as by SIGTERM,
 * unless it runs under nohup.  It does not end when a reader closes the pipe of its output. */

#ifndef OUTPUT_TERMINAL_H
#define OUTPUT_TERMINAL_H

#include <signal.h>

struct terminal { /* The previous actions of signals. */
    struct sigaction hangup, pipe;
};

/* Change the actions of signals, and restore them. Call them while stopping_hold() is in force. */
struct terminal terminal_hold(void);
void terminal_let_go(const struct terminal *before);

#endif
