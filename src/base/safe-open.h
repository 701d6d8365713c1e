/* Files below a folder: one rule for every name from an untrusted source.
 *
 *     struct err err;
 *     int file = safe_open(".", "nets/clos.topo", SAFE_INPUTS, &err);
 *
 * A name can only lead to files below the folder.  No part of it is empty, begins with a dot (so
 * none is hidden and none is "..") or with a minus, or has control characters.  The suffix must be
 * of an allowed kind.  No part is a symbolic link, not even one within the folder.  Only plain
 * files are opened: no pipes, no devices.
 *
 * Every part is opened relative to the part before it, without following links, so that nothing can
 * be replaced between the check and the opening.  The folder itself is trusted, and its path may
 * have symbolic links.  Hard links are allowed. */

#ifndef BASE_SAFE_OPEN_H
#define BASE_SAFE_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/err.h"

enum safe_kind {
    SAFE_SCENARIOS,
    SAFE_INPUTS, /* Files that a scenario may name: other scenarios, networks, flows, sizes. */
    SAFE_RESULTS,
};

enum safe_found {
    SAFE_NOTHING, /* The name is allowed, but no such file exists. */
    SAFE_FILE,    /* A plain file. */
    /* The name is invalid, or it leads to something else: a link, a folder, a pipe. */
    SAFE_FORBIDDEN,
};

/* Whether the name follows the rule, as far as this can be decided without opening it. */
bool safe_is_name(const char *name, enum safe_kind, struct err *);

/* Finds a file, and sets 'file' unless it is null. */
enum safe_found safe_find(const char *folder, const char *name, enum safe_kind, struct stat *file);

/* Opens a file to read; returns a negative value with an error on failure. */
int safe_open(const char *folder, const char *name, enum safe_kind, struct err *);

/* Reads a whole file, like text_read_file(). */
char *safe_read_file(const char *folder, const char *name, enum safe_kind, size_t max_bytes,
                     size_t *len, struct err *);

#endif
