/* The law for every name that is given to base/safe-open.h, for any content of the folder. An
 * opened file is the plain file at exactly that path, so no link was followed and the path stayed
 * inside. A plain file that may be opened is opened. */

#ifndef TESTS_SAFE_OPEN_LAW_H
#define TESTS_SAFE_OPEN_LAW_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/safe-open.h"

/* The rule for names, written independently of safe-open.c. */
static inline bool
law_is_visible(const char *name)
{
    return name[0] && name[0] != '.' && name[0] != '-' && name[0] != '/' && !strstr(name, "/.") &&
           !strstr(name, "/-") && !strstr(name, "//") && name[strlen(name) - 1] != '/';
}

static inline bool
law_has_kind(const char *name, enum safe_kind kind)
{
    const char *point = strrchr(name, '.');
    bool is_scenario = point && (!strcmp(point, ".yaml") || !strcmp(point, ".yml"));
    bool is_other = point && (!strcmp(point, ".json") || !strcmp(point, ".txt") ||
                              !strcmp(point, ".topo") || !strcmp(point, ".cm"));

    return kind == SAFE_RESULTS     ? point && !strcmp(point, ".db")
           : kind == SAFE_SCENARIOS ? is_scenario
                                    : is_scenario || is_other;
}

/* Fills in the path of an open file. */
static inline void
law_path_of(int file, char path[PATH_MAX])
{
    char link[64];

    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    path[n > 0 ? n : 0] = '\0';
}

/* Whether a plain file is at that path, without any link on the way. */
static inline bool
law_is_plain(const char *folder, const char *name)
{
    char path[2 * PATH_MAX], real[PATH_MAX];
    struct stat st;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return realpath(path, real) && !strcmp(path, real) && !lstat(path, &st) && S_ISREG(st.st_mode);
}

/* Null if the law holds for this name, else a description of the violation.  'folder' is a real
 * path. */
static inline const char *
law_broken(const char *folder, const char *name, enum safe_kind kind)
{
    struct err err;
    char path[PATH_MAX], expected[2 * PATH_MAX];
    bool may = law_is_visible(name) && law_has_kind(name, kind) && law_is_plain(folder, name);
    int file = safe_open(folder, name, kind, &err);

    if ((safe_find(folder, name, kind, NULL) == SAFE_FILE) != (file >= 0)) {
        return "what is seen and what is opened differ";
    }
    if (file < 0) {
        return may ? "a plain file was refused" : NULL;
    }
    law_path_of(file, path);
    close(file);
    snprintf(expected, sizeof expected, "%s/%s", folder, name);
    return strcmp(path, expected) ? "another file was opened than the name says"
           : !may                 ? "a file was opened that may not be"
                                  : NULL;
}

#endif
