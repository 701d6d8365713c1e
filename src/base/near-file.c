/* Finds the names in a folder that are nearest to a misspelt one. */

#include "base/near-file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"

enum { MAX_FILES = 10000, MAX_FOLDER = 4096 };

static DIR *
open_folder_of(const char *path, const char *name)
{
    char folder[MAX_FOLDER] = ".";

    if (name > path) {
        snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    }
    return opendir(folder);
}

/* Whether a name is similar. Extensions do not count, because all scenarios have the same one. */
static bool
is_near(const char *name, const char *other)
{
    size_t stem = strcspn(name, "."), most = stem < 6 ? 1 : stem / 3;

    return other[0] != '.' && text_distance(name, other) <= most;
}

void
near_file_offer(const char *path, char *out, size_t out_bytes)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    DIR *folder = access(path, F_OK) ? open_folder_of(path, name) : NULL;
    char **names = NULL;
    size_t n = 0, max = 0;

    out[0] = '\0';
    for (struct dirent *e; folder && n < MAX_FILES && (e = readdir(folder));) {
        if (is_near(name, e->d_name)) {
            ARRAY_PUSH(names, n, max) = strdup(e->d_name);
        }
    }
    if (n) {
        text_offer_near(name, (const char *const *)names, sizeof *names, n, out, out_bytes);
    }
    for (size_t i = 0; i < n; i++) {
        free(names[i]);
    }
    free(names);
    if (folder) {
        closedir(folder);
    }
}
