/* Finds files that were installed with the program. */

#include "base/installed.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

bool
installed_find(const char *name, char *path, size_t max)
{
    char program[4096];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);

    program[len > 0 ? len : 0] = '\0';
    char *end = strrchr(program, '/');
    if (!end) {
        return false;
    }
    *end = '\0';
    int n = snprintf(path, max, "%s/" INSTALLED_SHARED "/%s", program, name);
    return n > 0 && (size_t)n < max && !access(path, R_OK);
}

/* The part of a path that an installed file would have as its name; null: none. */
static const char *
shared_name(const char *path)
{
    static const char studies[] = "studies/", workloads[] = "workloads/";
    const char *at = strstr(path, workloads);
    bool is_folder = at && (at == path || at[-1] == '/');

    return !strncmp(path, studies, sizeof studies - 1) ? path : is_folder ? at : NULL;
}

char *
installed_read(const char *path, size_t max_bytes, size_t *len, struct err *err)
{
    const char *name = access(path, F_OK) ? shared_name(path) : NULL;
    char installed[5000];
    bool is_there = name && installed_find(name, installed, sizeof installed);

    return text_read_file(is_there ? installed : path, max_bytes, len, err);
}
