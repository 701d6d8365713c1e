/* Leftovers of labs that were killed: their folders, and any process that outlived them. */

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "lab/process-id.h"
#include "lab/run-folder.h"

enum { LINE_BYTES = 128, TRIES = 100 };

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

/* Until it is gone: its resources go with it. */
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

/* The folder of a lab, of the number that is its name.  One that has no line yet may be just
 * starting. */
static void
clean_folder(const char *folder, pid_t named, struct run_folder_cleaned *done)
{
    char path[RUN_FOLDER_FILE_BYTES];
    struct process_id lab = process_id_of(named);

    run_folder_file(folder, path);
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
    DIR *dir = run_folder_is_own(place) ? opendir(place) : NULL;

    for (const struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir)) {
        char folder[RUN_FOLDER_BYTES];
        uint64_t named;
        int len = snprintf(folder, sizeof folder, "%s/%s", place, d->d_name);
        bool fits = len > 0 && len < RUN_FOLDER_BYTES;
        if (fits && text_number(d->d_name, &named) && run_folder_is_own(folder)) {
            clean_folder(folder, (pid_t)named, done);
        }
    }
    if (dir) {
        closedir(dir);
        rmdir(place); /* Unless labs have folders there. */
    }
}

struct run_folder_cleaned
run_folder_clean_all(void)
{
    struct run_folder_cleaned done = { 0 };
    char place[RUN_FOLDER_BYTES];

    for (size_t i = 0; i < RUN_FOLDER_N_PLACES; i++) {
        if (run_folder_place(i, place)) {
            run_folder_clean(place, &done);
        }
    }
    return done;
}
