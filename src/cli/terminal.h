/* The terminal of a command that runs on until it is stopped: a lab, a switch.  When it is closed,
 * as a session of ssh ends, the command is asked to stop, as by SIGTERM, unless nohup has it
 * ignored; and who reads no further what it says does not end it half way. */

#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <signal.h>

struct terminal { /* What its signals did before. */
    struct sigaction hangup, pipe;
};

/* While stopping_hold() holds. */
struct terminal terminal_hold(void);
void terminal_let_go(const struct terminal *before);

#endif
