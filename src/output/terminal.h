/* The terminal of a command that runs until it is stopped: a lab, a switch.  When the terminal is
 * closed, as at the end of an ssh session, the command stops as by SIGTERM, unless nohup has it
 * ignored.  A reader that closes the pipe of its output does not end the command either. */

#ifndef OUTPUT_TERMINAL_H
#define OUTPUT_TERMINAL_H

#include <signal.h>

struct terminal { /* The former actions of its signals. */
    struct sigaction hangup, pipe;
};

/* While stopping_hold() holds. */
struct terminal terminal_hold(void);
void terminal_let_go(const struct terminal *before);

#endif
