/* Requests of a client to the fork server (fork-server.c), on a Unix stream socket.
 *
 * One message has this head, with the descriptors as SCM_RIGHTS; then come n_bytes: the words of
 * the command and the variables of the environment, each ended by a zero.  The server responds
 * with an int: the status of waitpid(). */
#ifndef FORK_REQUEST_H
#define FORK_REQUEST_H

#include <stdint.h>

enum { FORK_CWD, FORK_STDIN, FORK_STDOUT, FORK_STDERR, FORK_FDS };

struct fork_request {
    uint32_t n_bytes;
    uint32_t n_arguments;
    uint32_t n_variables;
};

#endif
