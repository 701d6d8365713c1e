/* The folder of a running lab.  It lists the lab's processes, for users who want to enter their
 * namespaces, and for cleaning up after a lab that was killed.
 *
 *     /run/weir-lab/4711/nodes       4711 88123 lab
 *                                    4712 88125 S1
 *
 * A line has the PID of a process, its start time, and its name; the first line is the lab
 * itself.  Folders are in the first of $XDG_RUNTIME_DIR, /run and /tmp in which the user can create
 * them. */

#ifndef LAB_RUN_FOLDER_H
#define LAB_RUN_FOLDER_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* A process, identified by its PID and start time, because PIDs are reused. */
struct process_id {
    pid_t pid;
    /* Its start time, counted from the start of the machine; 0: there is no such process. */
    uint64_t ticks;
};

/* The value of 'ticks' if /proc could not be read, for example because too many files are open. */
#define PROCESS_ID_UNKNOWN UINT64_MAX

struct process_id process_id_of(pid_t);

/* Whether the process runs; a zombie does not. */
bool process_id_is_alive(struct process_id);

/* Whether the process certainly does not run. If its state is unknown, both functions return
 * false. */
bool process_id_is_gone(struct process_id);

enum { RUN_FOLDER_BYTES = 256 };

/* Creates the folder of this process, with the line of this process. */
bool run_folder_make(char folder[RUN_FOLDER_BYTES], struct err *);

/* Adds the line of a node's process. */
bool run_folder_add(const char *folder, const char *name, pid_t, struct err *);
void run_folder_remove(const char *folder);

/* The results of cleaning up after labs that are gone: their processes are killed, and their
 * folders removed. Folders of other users are unchanged. */
struct run_folder_cleaned {
    size_t n_labs;      /* The number of labs that had left something. */
    size_t n_processes; /* The number of their processes that still ran, and were killed. */
    size_t n_running;   /* The number of labs that are running. */
};

struct run_folder_cleaned run_folder_clean_all(void);

/* Cleans up in one of the possible common folders of labs, and adds to the counts.
 * run_folder_place() returns the i-th of these folders, or false if there is none. */
void run_folder_clean(const char *place, struct run_folder_cleaned *);
bool run_folder_place(size_t i, char place[RUN_FOLDER_BYTES]);

#endif
