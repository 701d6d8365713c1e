/* The folder of a lab while it runs: which processes it has, for people who want to look into their
 * namespaces, and for the cleanup behind a lab that was killed.
 *
 *     /run/weir-lab/4711/nodes        4711 88123 lab
 *                                     4712 88125 S1
 *
 * A line is the number of a process, when it started, and its name; the first is the lab itself.
 * Folders are in $XDG_RUNTIME_DIR, in /run, or, for users that may write to neither, in /tmp: the
 * first of them that takes it. */

#ifndef LAB_RUN_FOLDER_H
#define LAB_RUN_FOLDER_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* A process, distinguished from others that have had the same number before or will have it later.
 */
struct process_id {
    pid_t pid;
    uint64_t ticks; /* Since the machine started; 0: there was no such process. */
};

/* Its ticks where /proc could not be read, as with too many open files. */
#define PROCESS_ID_UNKNOWN UINT64_MAX

struct process_id process_id_of(pid_t);

/* It runs: a process that has ended and only has not been waited for does not. */
bool process_id_is_alive(struct process_id);

/* It surely does not run.  If nothing can be known of one, neither is true. */
bool process_id_is_gone(struct process_id);

enum { RUN_FOLDER_BYTES = 256 };

/* Makes the folder of this process, with its own line. */
bool run_folder_make(char folder[RUN_FOLDER_BYTES], struct err *);

/* A node has a process, which is there. */
bool run_folder_add(const char *folder, const char *name, pid_t, struct err *);
void run_folder_remove(const char *folder);

/* Cleans up behind labs that are gone: kills their processes, and removes their folders.  Folders
 * of other users are left alone. */
struct run_folder_cleaned {
    size_t n_labs;      /* Labs that had left something, */
    size_t n_processes; /* the number of them that still ran, and were killed; */
    size_t n_running;   /* and labs that run, and were left alone. */
};

struct run_folder_cleaned run_folder_clean_all(void);

/* The same in one place, added to what was done before: the i-th of those where folders may be;
 * false: there is none there. */
void run_folder_clean(const char *place, struct run_folder_cleaned *);
bool run_folder_place(size_t i, char place[RUN_FOLDER_BYTES]);

#endif
