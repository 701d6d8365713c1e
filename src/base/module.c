/* Finds and loads modules of the program. */

#include "base/module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/installed.h"

/* Finds the first file that exists, so that an error is about that file. If none exists, returns
 * false and the bare name, for which the system's loader searches. */
static bool
find(const char *file, char path[INSTALLED_PATH_BYTES])
{
    bool is_there =
        installed_path(".", file, path) || installed_path(INSTALLED_MODULES, file, path);

    if (!is_there) {
        snprintf(path, INSTALLED_PATH_BYTES, "%s", file);
    }
    return is_there;
}

bool
module_is_there(const char *file)
{
    char path[INSTALLED_PATH_BYTES];

    return find(file, path);
}

const void *
module_load(const char *file, const char *table, const char *version, struct err *err)
{
    char path[INSTALLED_PATH_BYTES];
    const char *const *build;

    find(file, path);
    /* RTLD_GLOBAL, because libraries load plug-ins of their own that need these symbols. */
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    build = module ? dlsym(module, table) : NULL;
    if (!build) {
        err_set(err, "%s", dlerror());
    } else if (strcmp(*build, version)) {
        err_set(err, "%s has version %s, but the program has version %s", file, *build, version);
        build = NULL;
    }
    return build;
}
