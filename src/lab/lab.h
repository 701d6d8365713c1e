/* Runs a scenario on this machine in real time.  Each node is a process in its own network
 * namespace, and each link is a pair of virtual interfaces between two namespaces.
 *
 *     struct lab lab;
 *     int code = lab_open(&lab, &scenario, lab_child_main, &err);
 *     if (code == EXIT_GOOD) {
 *         code = lab_coordinate(&lab, &outcome, &job, &listener, &err);
 *         lab_close(&lab);
 *     }
 *
 * Namespaces have no names and live as long as the processes in them.  When these end, the
 * namespaces and interfaces disappear (decision 0073).  Processes die with the lab, however it
 * ends.  A lab that was killed can leave a folder with the numbers of its processes (run-folder.h);
 * the next lab removes it.
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

/* The maximum number of nodes, each of which is a process. */
enum { LAB_MAX_NODES = 512 };

/* The data of a node's process, which is forked from the lab, and so has a copy of the lab's
 * memory.  Its interfaces exist and are up, except those of failed links. */
struct lab_child {
    const struct scenario *scenario; /* The scenario, which has been read but not bound. */
    uint32_t node;                   /* A node of its topology. */
    int socket; /* The socket to the lab: SOCK_STREAM, blocking.  At end of file the lab is gone. */
};

/* The main function of a node's process, which returns its exit code.  The process ends without
 * flushing or closing files that the lab opened before.  It ignores SIGINT, SIGTERM and SIGHUP; a
 * message on the socket ends it. */
typedef int lab_main(const struct lab_child *);

struct lab_process {
    pid_t pid;  /* 0: there is no process, or no longer. */
    int socket; /* The other end of the child's socket, blocking; -1: closed. */
};

struct lab {
    const struct scenario *scenario;
    lab_main *main;
    struct lab_process *processes; /* [node of the topology]. */
    uint32_t n;
    char folder[RUN_FOLDER_BYTES]; /* "/run/weir-lab/1234"; empty: none yet. */
};

/* Sets up the lab.  Returns when every process is about to call 'main', or, on failure, when the
 * lab has been removed again.  Returns an exit code: EXIT_WORLD if rights or memory are missing,
 * EXIT_USER if the scenario is too large, EXIT_STOPPED if the user stopped it. */
int lab_open(struct lab *, const struct scenario *, lab_main *, struct err *);

/* Check that a lab can run the scenario; return EXIT_GOOD, or EXIT_USER with an error. */
int lab_check(const struct scenario *, struct err *);
int lab_check_virtual(const struct scenario *, struct err *); /* In virtual time. */

/* The name of a node's process, as ps shows it. */
enum { LAB_NAME_BYTES = 16 };
void lab_process_name(const char *node, char name[LAB_NAME_BYTES]);

/* Kills the remaining processes, waits for their end, and removes the folder. */
void lab_close(struct lab *);

/* Reports a process that ended unexpectedly, as its socket shows, with the reason: "the process of
 * S1 (number 4711) was ended by a signal: Killed".  Waits for its end, which must be imminent, and
 * closes the socket. */
void lab_send_end(struct lab *, uint32_t node, struct err *);

/* The main function of the product: child.c. */
lab_main lab_child_main;

/* A callback for events during the run.  Each is a line, such as "a deadlock has formed: ...". */
struct lab_listener {
    void (*report)(void *arg, const char *line);
    void *arg;
};

/* Runs a scenario that has been read, like outcome_run_read(), with processes in place of the
 * simulator (coordinate.c). */
int lab_coordinate(struct lab *, struct outcome *, const struct outcome_job *,
                   const struct lab_listener *, struct err *);

/* Runs all nodes in this process in virtual time, without interfaces or special rights.  The
 * results equal those of the simulator (virtual-run.c). */
int lab_run_virtually(struct outcome *, const struct outcome_job *, struct err *);

/* Reads a scenario and runs it, in real or virtual time (lab-run.c).  Returns an exit code, like
 * outcome_run(). */
struct lab_request {
    struct outcome_job job;  /* The job; its capture is set later. */
    struct capture *capture; /* Its options; freed. */
    bool is_virtual;
    const struct lab_listener *listener; /* The listener for a lab in real time; or null. */
    FILE *messages;                      /* Warnings. */
};

int lab_run(struct outcome *, struct lab_request *, struct err *);

/* Writes the processes and interfaces of a scenario's lab, and the resources they need
 * (lab-plan.c). */
void lab_plan_write(FILE *, const char *file, const struct scenario *, bool json);

#endif
