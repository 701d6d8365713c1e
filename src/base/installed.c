/* Finds files that were installed with the program. */

#include "base/installed.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
