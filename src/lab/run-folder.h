/* The folder of a running lab.  It lists the lab's processes, for users who want to enter their
 * namespaces, and for cleaning up after a lab that was killed.
 *
 *     /run/weir-lab/4711/nodes        4711 88123 lab
 *                                     4712 88125 S1
 *
 * A line has the number of a process, its start time, and its name; the first line is the lab
 * itself.  Folders are in the first of $XDG_RUNTIME_DIR, /run and /tmp in which the user can create
 * them. */

#ifndef LAB_RUN_FOLDER_H
#define LAB_RUN_FOLDER_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* A process, identified by its number and start time, since numbers are reused.
 */
struct process_id {
    pid_t pid;
    uint64_t ticks; /* Its start time since the machine started; 0: there was no such process. */
};

/* The value of 'ticks' if /proc could not be read, for example because too many files are open. */
#define PROCESS_ID_UNKNOWN UINT64_MAX

struct process_id process_id_of(pid_t);

/* Whether the process runs; a zombie does not. */
bool process_id_is_alive(struct process_id);

/* Whether the process certainly does not run.  If its state is unknown, neither function returns
 * true. */
bool process_id_is_gone(struct process_id);

enum { RUN_FOLDER_BYTES = 256 };

/* Makes the folder of this process, with its own line. */
bool run_folder_make(char folder[RUN_FOLDER_BYTES], struct err *);

/* Adds the process of a node. */
bool run_folder_add(const char *folder, const char *name, pid_t, struct err *);
void run_folder_remove(const char *folder);

/* Cleans up after labs that are gone: kills their processes, and removes their folders.  Folders of
 * other users are unchanged. */
struct run_folder_cleaned {
    size_t n_labs;      /* The number of labs that had left something, */
    size_t n_processes; /* the number of their processes that still ran, and were killed; */
    size_t n_running;   /* and the number of labs that are running. */
};

struct run_folder_cleaned run_folder_clean_all(void);

/* Cleans up in one place, and adds to the counts. run_folder_place() names the i-th possible place;
 * it returns false if there is none. */
void run_folder_clean(const char *place, struct run_folder_cleaned *);
bool run_folder_place(size_t i, char place[RUN_FOLDER_BYTES]);

#endif
