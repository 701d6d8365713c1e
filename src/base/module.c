/* Finds and loads modules of the program. */

#include "base/module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PATH = 5000 };

/* From the folder of the program. */
static const char *const places[] = { ".", INSTALLED_MODULES };

/* The first that is there, so that an error is about it, and not that there is no other; else, and
 * false, the bare name, for which the system looks. */
static bool
find(const char *file, char *path, size_t max)
{
    char program[4096];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);

    program[len > 0 ? len : 0] = '\0';
    char *end = strrchr(program, '/');
    for (size_t i = 0; end && i < sizeof places / sizeof *places; i++) {
        *end = '\0';
        int n = snprintf(path, max, "%s/%s/%s", program, places[i], file);
        if (n > 0 && (size_t)n < max && !access(path, F_OK)) {
            return true;
        }
    }
    snprintf(path, max, "%s", file);
    return false;
}

bool
module_is_there(const char *file)
{
    char path[MAX_PATH];

    return find(file, path, sizeof path);
}

const void *
module_load(const char *file, const char *table, const char *version, struct err *err)
{
    char path[MAX_PATH];
    const char *const *build;

    find(file, path, sizeof path);
    /* Global, as libraries load parts of their own that expect to find them. */
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    build = module ? dlsym(module, table) : NULL;
    if (!build) {
        err_set(err, "%s", dlerror());
    } else if (strcmp(*build, version)) {
        err_set(err, "%s is of version %s, and the program of %s", file, *build, version);
        build = NULL;
    }
    return build;
}
