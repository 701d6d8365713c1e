/* The folder of a lab. */

#include "lab/run-folder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/process-id.h"

enum { TRIES = 100, NUMBER_BYTES = 24 }; /* A process's number, with a slash. */

bool
run_folder_place(size_t i, char place[RUN_FOLDER_BYTES])
{
    const char *own = getenv("XDG_RUNTIME_DIR");
    int len = 0;

    switch (i) {
    case 0:
        len = own && *own == '/' ? snprintf(place, RUN_FOLDER_BYTES, "%s/weir-lab", own) : 0;
        break;
    case 1:
        len = snprintf(place, RUN_FOLDER_BYTES, "/run/weir-lab");
        break;
    default:
        len = snprintf(place, RUN_FOLDER_BYTES, "/tmp/weir-lab-%u", getuid());
    }
    return len > 0 && len < RUN_FOLDER_BYTES - NUMBER_BYTES;
}

/* A folder of somebody else says nothing that we would believe. */
bool
run_folder_is_own(const char *path)
{
    struct stat s;

    return !lstat(path, &s) && S_ISDIR(s.st_mode) && s.st_uid == geteuid();
}

void
run_folder_file(const char *folder, char path[RUN_FOLDER_FILE_BYTES])
{
    snprintf(path, RUN_FOLDER_FILE_BYTES, "%s/nodes", folder);
}

bool
run_folder_add(const char *folder, const char *name, pid_t pid, struct err *err)
{
    struct process_id id = process_id_of(pid);
    char path[RUN_FOLDER_FILE_BYTES];

    run_folder_file(folder, path);
    FILE *file = id.ticks != PROCESS_ID_UNKNOWN ? fopen(path, "a") : NULL;
    bool good = file && fprintf(file, "%d %" PRIu64 " %s\n", (int)pid, id.ticks, name) > 0;
    good = file && !fclose(file) && good;
    return good || err_set(err, "cannot write %s: %s", path, strerror(errno));
}

void
run_folder_remove(const char *folder)
{
    char path[RUN_FOLDER_FILE_BYTES];

    run_folder_file(folder, path);
    unlink(path);
    rmdir(folder);
    snprintf(path, sizeof path, "%s", folder);
    *strrchr(path, '/') = '\0';
    rmdir(path); /* Unless others have folders there. */
}

/* Another lab may remove the place at any time, as it ends and finds it empty. */
static bool
make_in(const char *place, char folder[RUN_FOLDER_BYTES])
{
    snprintf(folder, RUN_FOLDER_BYTES, "%.*s/%d", RUN_FOLDER_BYTES - NUMBER_BYTES, place,
             (int)getpid());
    for (int i = 0; i < TRIES; i++) {
        bool is_there = !mkdir(place, 0755) || errno == EEXIST;
        if (!is_there || (!run_folder_is_own(place) && errno != ENOENT)) {
            return false;
        }
        if (!mkdir(folder, 0755) || (errno == EEXIST && run_folder_is_own(folder))) {
            return true;
        }
        if (errno != ENOENT) {
            break;
        }
    }
    rmdir(place);
    return false;
}

bool
run_folder_make(char folder[RUN_FOLDER_BYTES], struct err *err)
{
    char place[RUN_FOLDER_BYTES];

    for (size_t i = 0; i < RUN_FOLDER_N_PLACES; i++) {
        if (!run_folder_place(i, place) || !make_in(place, folder)) {
            continue;
        }
        if (run_folder_add(folder, "lab", getpid(), err)) {
            return true;
        }
        run_folder_remove(folder);
    }
    *folder = '\0';
    return err_set(err, "no folder could be made in $XDG_RUNTIME_DIR, /run or /tmp: %s",
                   strerror(errno));
}
