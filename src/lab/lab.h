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
 * ends.  A lab that was killed can leave a folder with the PIDs of its processes (run-folder.h);
 * the next lab removes it.
 *
 * An interface is named by the number of its port within the node, "p0", and has the Ethernet
 * address that the port has in captures (packet/address.h).  It has no IP address, and only the
 * process sends through it. */

#ifndef LAB_H
#define LAB_H

#include <sys/types.h>

#include "lab/run-folder.h"
#include "run/exit.h"
#include "run/outcome.h"
#include "scenario/scenario.h"

/* The maximum number of nodes, each of which is a process. */
enum { LAB_MAX_NODES = 512 };

/* The data of a node's process. It is forked from the lab, and so has a copy of the lab's memory.
 * Its interfaces exist and are up, except those of failed links. */
struct lab_child {
    const struct scenario *scenario; /* The scenario, which has been read but not bound. */
    uint32_t node;                   /* A node of its topology. */
    /* The socket to the lab, SOCK_STREAM and blocking. If it is at the end of file, the lab is
     * gone. */
    int socket;
};

/* The main function of a node's process, which returns its exit code.  The process ends without
 * flushing or closing files that the lab opened before.  It ignores SIGINT, SIGTERM and SIGHUP; a
 * message on the socket ends it. */
typedef int lab_main(const struct lab_child *);

struct lab_process {
    pid_t pid;  /* 0: the process has not been started, or has ended. */
    int socket; /* The other end of the child's socket, blocking; -1: closed. */
};

struct lab {
    const struct scenario *scenario;
    lab_main *main;
    struct lab_process *processes; /* [node of the topology]. */
    uint32_t n;
    /* A path such as "/run/weir-lab/1234"; empty: there is no folder yet. */
    char folder[RUN_FOLDER_BYTES];
};

/* Sets up the lab.  Returns when every process is about to call 'main', or, on failure, when the
 * lab has been removed again.  Returns an exit code: EXIT_WORLD if rights or memory are missing,
 * EXIT_USER if the scenario is too large, EXIT_STOPPED if the user stopped it. */
int lab_open(struct lab *, const struct scenario *, lab_main *, struct err *);

/* Check that a lab can run the scenario, in real time or in virtual time. They return EXIT_GOOD, or
 * EXIT_USER with an error. */
int lab_check(const struct scenario *, struct err *);
int lab_check_virtual(const struct scenario *, struct err *);

/* The name of a node's process, as ps shows it. */
enum { LAB_NAME_BYTES = 16 };
void lab_process_name(const char *node, char name[LAB_NAME_BYTES]);

/* Kills the remaining processes, waits for their end, and removes the folder. */
void lab_close(struct lab *);

/* Sets the error for a process that ended unexpectedly, such as "the process of S1 (PID 4711) was
 * ended by a signal: Killed". The end of the process must be imminent: the function waits for it,
 * and closes the socket. */
void lab_send_end(struct lab *, uint32_t node, struct err *);

/* The main function of nodes in real labs (child.c); tests have others. */
lab_main lab_child_main;

/* Receives events during the run. Each is a line, such as "a deadlock has formed: ...". */
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

/* A request to run a scenario in real or virtual time. lab_run() reads the scenario and runs it
 * (lab-run.c). It returns an exit code, like outcome_run(). */
struct lab_request {
    struct outcome_job job;  /* The job. Its capture is set later. */
    struct capture *capture; /* The options of the capture; lab_run() frees them. */
    bool is_virtual;
    const struct lab_listener *listener; /* Receives the events of a lab in real time; or null. */
    FILE *messages;                      /* The stream for warnings. */
};

int lab_run(struct outcome *, struct lab_request *, struct err *);

/* Writes the processes and interfaces of a scenario's lab, and the resources they need
 * (lab-plan.c). */
void lab_plan_write(FILE *, const char *file, const struct scenario *, bool json);

#endif
