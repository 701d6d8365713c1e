/* The folder of a lab while it runs: which processes it has, for people who want to look into their
 * namespaces, and for the cleanup behind a lab that was killed.
 *
 *     /run/weir-lab/4711/nodes        4711 88123 lab
 *                                     4712 88125 S1
 *
 * A line is the number of a process, when it started (process-id.h), and its name; the first is the
 * lab itself.  Folders are in $XDG_RUNTIME_DIR, in /run, or, for users that may write to neither,
 * in /tmp: the first of them that takes it. */

#ifndef LAB_RUN_FOLDER_H
#define LAB_RUN_FOLDER_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

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
    size_t n_processes; /* of which so many still ran, and were killed; */
    size_t n_running;   /* and labs that run, and were left alone. */
};

struct run_folder_cleaned run_folder_clean_all(void);

/* The same in one place, added to what was done before. */
void run_folder_clean(const char *place, struct run_folder_cleaned *);

/* For both: where folders may be, the i-th place; false: there is none there. */
enum { RUN_FOLDER_N_PLACES = 3, RUN_FOLDER_FILE_BYTES = RUN_FOLDER_BYTES + 8 };
bool run_folder_place(size_t i, char place[RUN_FOLDER_BYTES]);
bool run_folder_is_own(const char *path);
void run_folder_file(const char *folder, char path[RUN_FOLDER_FILE_BYTES]);

#endif
