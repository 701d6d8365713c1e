/* Finds files that were installed with the program. */

#include "base/installed.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

bool
installed_path(const char *folder, const char *name, char path[INSTALLED_PATH_BYTES])
{
    char program[4096];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);

    program[len > 0 ? len : 0] = '\0';
    char *end = strrchr(program, '/');
    if (!end) {
        return false;
    }
    *end = '\0';
    int n = snprintf(path, INSTALLED_PATH_BYTES, "%s/%s/%s", program, folder, name);
    return n > 0 && n < INSTALLED_PATH_BYTES && !access(path, F_OK);
}

/* The part of a path that may name an installed file; null: there is none. */
static const char *
shared_name(const char *path)
{
    static const char studies[] = "studies/", workloads[] = "workloads/";
    const char *at = strstr(path, workloads);
    bool is_folder = at && (at == path || at[-1] == '/');

    return !strncmp(path, studies, sizeof studies - 1) ? path : is_folder ? at : NULL;
}

const char *
installed_or(const char *path, char room[INSTALLED_PATH_BYTES])
{
    const char *name = access(path, F_OK) ? shared_name(path) : NULL;

    return name && installed_path(INSTALLED_SHARED, name, room) && !access(room, R_OK) ? room
                                                                                       : path;
}

char *
installed_read(const char *path, size_t max_bytes, size_t *len, struct err *err)
{
    char room[INSTALLED_PATH_BYTES];

    return text_read_file(installed_or(path, room), max_bytes, len, err);
}
