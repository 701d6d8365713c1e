/* Handles the folder of a lab, and cleans up after labs that were killed. */

#include "lab/run-folder.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

enum {
    STAT_BYTES = 1024,
    LINE_BYTES = 128,
    NUMBER_BYTES = 24, /* A PID with a slash. */
    FILE_BYTES = RUN_FOLDER_BYTES + 8,
    N_PLACES = 3,
    TRIES = 100,
};

/* Processes by PID and start time: proc(5), /proc/PID/stat, fields 3 and 22. */

/* Reads the start time of a process. The name is in parentheses before the other fields, and may
 * have any characters. */
static uint64_t
read_ticks(FILE *file)
{
    char line[STAT_BYTES], state = 'Z';
    size_t len = fread(line, 1, sizeof line - 1, file);
    uint64_t ticks = 0;

    line[len] = '\0';
    const char *rest = strrchr(line, ')');
    int n = rest ? sscanf(rest,
                          ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                          "%*s %*s %" SCNu64,
                          &state, &ticks)
                 : 0;
    return n == 2 && state != 'Z' ? ticks : 0;
}

struct process_id
process_id_of(pid_t pid)
{
    struct process_id id = { .pid = pid };
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file) {
        id.ticks = errno == ENOENT ? 0 : PROCESS_ID_UNKNOWN;
    } else {
        id.ticks = read_ticks(file);
        fclose(file);
    }
    return id;
}

bool
process_id_is_alive(struct process_id id)
{
    return id.ticks && id.ticks != PROCESS_ID_UNKNOWN && process_id_of(id.pid).ticks == id.ticks;
}

bool
process_id_is_gone(struct process_id id)
{
    uint64_t now = process_id_of(id.pid).ticks;

    return id.ticks != PROCESS_ID_UNKNOWN && now != PROCESS_ID_UNKNOWN && (!now || now != id.ticks);
}

/* The folder of a lab. */

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

/* Whether a folder belongs to this user. A folder of another user is not trusted. */
static bool
is_own(const char *path)
{
    struct stat s;

    return !lstat(path, &s) && S_ISDIR(s.st_mode) && s.st_uid == geteuid();
}

static void
name_file(const char *folder, char path[FILE_BYTES])
{
    snprintf(path, FILE_BYTES, "%s/nodes", folder);
}

bool
run_folder_add(const char *folder, const char *name, pid_t pid, struct err *err)
{
    struct process_id id = process_id_of(pid);
    char path[FILE_BYTES];

    name_file(folder, path);
    FILE *file = id.ticks != PROCESS_ID_UNKNOWN ? fopen(path, "a") : NULL;
    bool good = file && fprintf(file, "%d %" PRIu64 " %s\n", (int)pid, id.ticks, name) > 0;
    good = file && !fclose(file) && good;
    return good || err_set(err, "cannot write %s: %s", path, strerror(errno));
}

void
run_folder_remove(const char *folder)
{
    char path[FILE_BYTES];

    name_file(folder, path);
    unlink(path);
    rmdir(folder);
    snprintf(path, sizeof path, "%s", folder);
    *strrchr(path, '/') = '\0';
    rmdir(path); /* Fails if other labs have folders there, which is intended. */
}

/* Creates a lab's folder in the common folder of labs. Another lab may remove the common folder at
 * any time, when it ends and finds it empty. */
static bool
make_in(const char *place, char folder[RUN_FOLDER_BYTES])
{
    snprintf(folder, RUN_FOLDER_BYTES, "%.*s/%d", RUN_FOLDER_BYTES - NUMBER_BYTES, place,
             (int)getpid());
    for (int i = 0; i < TRIES; i++) {
        bool is_there = !mkdir(place, 0755) || errno == EEXIST;
        if (!is_there || (!is_own(place) && errno != ENOENT)) {
            return false;
        }
        if (!mkdir(folder, 0755) || (errno == EEXIST && is_own(folder))) {
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

    for (size_t i = 0; i < N_PLACES; i++) {
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

/* Cleaning up after labs that were killed: their folders, and processes that outlived them. */

static bool
read_line(FILE *file, struct process_id *id)
{
    char line[LINE_BYTES];
    int pid;

    if (!fgets(line, sizeof line, file) || sscanf(line, "%d %" SCNu64, &pid, &id->ticks) != 2) {
        return false;
    }
    id->pid = (pid_t)pid;
    return pid > 1;
}

/* Kills a process, and waits until it and its resources are gone. */
static void
kill_now(struct process_id id)
{
    const struct timespec pause = { .tv_nsec = 10000000 };

    kill(id.pid, SIGKILL);
    for (int i = 0; i < TRIES && process_id_is_alive(id); i++) {
        nanosleep(&pause, NULL);
    }
}

static size_t
kill_listed(FILE *file)
{
    struct process_id id;
    size_t n = 0;

    while (read_line(file, &id)) {
        if (process_id_is_alive(id)) {
            kill_now(id);
            n++;
        }
    }
    return n;
}

/* Cleans up the folder of a lab, whose name is the PID of the lab. A lab without a line in its file
 * may just be starting. */
static void
clean_folder(const char *folder, pid_t named, struct run_folder_cleaned *done)
{
    char path[FILE_BYTES];
    struct process_id lab = process_id_of(named);

    name_file(folder, path);
    FILE *file = fopen(path, "r");
    bool has_line = file && read_line(file, &lab);
    if (!process_id_is_gone(lab)) {
        done->n_running++;
    } else {
        done->n_labs++;
        done->n_processes += has_line ? kill_listed(file) : 0;
        run_folder_remove(folder);
    }
    if (file) {
        fclose(file);
    }
}

void
run_folder_clean(const char *place, struct run_folder_cleaned *done)
{
    DIR *dir = is_own(place) ? opendir(place) : NULL;

    for (const struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir)) {
        char folder[RUN_FOLDER_BYTES];
        uint64_t named;
        int len = snprintf(folder, sizeof folder, "%s/%s", place, d->d_name);
        bool fits = len > 0 && len < RUN_FOLDER_BYTES;
        if (fits && text_number(d->d_name, &named) && is_own(folder)) {
            clean_folder(folder, (pid_t)named, done);
        }
    }
    if (dir) {
        closedir(dir);
        rmdir(place); /* Fails if labs have folders there, which is intended. */
    }
}

struct run_folder_cleaned
run_folder_clean_all(void)
{
    struct run_folder_cleaned done = { 0 };
    char place[RUN_FOLDER_BYTES];

    for (size_t i = 0; i < N_PLACES; i++) {
        if (run_folder_place(i, place)) {
            run_folder_clean(place, &done);
        }
    }
    return done;
}
