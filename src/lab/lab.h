/* A scenario on this machine, in real time: a process in a network namespace of its own for each
 * node, and a pair of virtual interfaces for each link, from one namespace to the other.
 *
 *     struct lab lab;
 *     int code = lab_open(&lab, &scenario, lab_child_main, &err);
 *     if (code == EXIT_GOOD) {
 *         code = lab_coordinate(&lab, &outcome, &job, &listener, &err);
 *         lab_close(&lab);
 *     }
 *
 * Namespaces have no names: the processes in them keep them alive. When these end, so do the
 * namespaces and their interfaces (decision 0073).  Processes die with the lab, however that ends.
 * A lab that was killed can leave a folder with the numbers of its processes (run-folder.h); the
 * next lab removes it.
 *
 * An interface is named by the number of its port within the node, "p0", and has the address that
 * the port has in captures (packet/address.h).  It has no IP address, and only the process sends by
 * it. */

#ifndef LAB_H
#define LAB_H

#include <sys/types.h>

#include "lab/run-folder.h"
#include "run/exit.h"
#include "run/outcome.h"
#include "scenario/scenario.h"

/* Nodes that a lab may have: a process each. */
enum { LAB_MAX_NODES = 512 };

/* In the process of a node, which was forked from the lab: it has all that the lab had, as its own.
 * Its interfaces are there and up, but for those of links that have failed. */
struct lab_child {
    const struct scenario *scenario; /* Read, and not bound yet. */
    uint32_t node;                   /* A node of its topology. */
    int socket; /* To the lab: SOCK_STREAM, blocking.  After its end the lab is gone. */
};

/* Its value is the exit code of the process, which ends with it: nothing that the lab opened before
 * is flushed or closed properly.  SIGINT, SIGTERM and SIGHUP are ignored there: a message on the
 * socket ends a process. */
typedef int lab_main(const struct lab_child *);

struct lab_process {
    pid_t pid;  /* 0: there is none (any more). */
    int socket; /* The other end of the child's; -1: closed.  Blocking. */
};

struct lab {
    const struct scenario *scenario;
    lab_main *main;
    struct lab_process *processes; /* [node of the topology]. */
    uint32_t n;
    char folder[RUN_FOLDER_BYTES]; /* "/run/weir-lab/1234"; empty: none yet. */
};

/* Sets up everything: returns when every process is about to call 'main', or has removed again what
 * it had set up.  An exit code: EXIT_WORLD, where rights or memory are missing; EXIT_USER, where
 * the scenario is too large; EXIT_STOPPED, where the user stopped it meanwhile. */
int lab_open(struct lab *, const struct scenario *, lab_main *, struct err *);

/* Prints the limits of a lab: EXIT_USER, or EXIT_GOOD. */
int lab_check(const struct scenario *, struct err *);
int lab_check_virtual(const struct scenario *, struct err *); /* In virtual time. */

/* The name of a node's process, as ps shows it. */
enum { LAB_NAME_BYTES = 16 };
void lab_process_name(const char *node, char name[LAB_NAME_BYTES]);

/* Kills what is still there, waits for it, and removes the folder. */
void lab_close(struct lab *);

/* Reports a process that has ended by itself, which its socket shows, with the reason, as "the
 * process of S1 (number 4711) was ended by a signal: Killed".  Waits for its end, which must be
 * near; closes the socket. */
void lab_send_end(struct lab *, uint32_t node, struct err *);

/* The main function of the product: child.c. */
lab_main lab_child_main;

/* A callback for events while it runs, a line each time: "a deadlock has formed: ...". */
struct lab_listener {
    void (*report)(void *arg, const char *line);
    void *arg;
};

/* Runs the scenario of an outcome that has been read, like outcome_run_read(), with the processes
 * in place of the simulator: coordinate.c. */
int lab_coordinate(struct lab *, struct outcome *, const struct outcome_job *,
                   const struct lab_listener *, struct err *);

/* The same without processes, interfaces and rights: all nodes in this process, by a clock of their
 * own, which gives what the simulator does: virtual-run.c. */
int lab_run_virtually(struct outcome *, const struct outcome_job *, struct err *);

/* Reads a scenario and runs it, in real time or virtually: lab-run.c.  Returns an exit code, like
 * outcome_run(). */
struct lab_request {
    struct outcome_job job;  /* Its capture is filled in. */
    struct capture *capture; /* Its options; freed. */
    bool is_virtual;
    const struct lab_listener *listener; /* In real time; or null. */
    FILE *messages;                      /* Warnings. */
};

int lab_run(struct outcome *, struct lab_request *, struct err *);

/* Writes what a lab of a scenario would set up, and what that needs: lab-plan.c. */
void lab_plan_write(FILE *, const char *file, const struct scenario *, bool json);

#endif
