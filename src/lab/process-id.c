/* Processes by number and start: proc(5), /proc/PID/stat, fields 3 and 22. */

#include "lab/process-id.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { STAT_BYTES = 1024 };

/* Its name stands in parentheses before the rest, and may have any characters. */
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
