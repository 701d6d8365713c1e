/* Files below a folder: one rule for every name from an untrusted source.
 *
 *     struct err err;
 *     int file = safe_open(".", "nets/clos.topo", SAFE_INPUTS, &err);
 *
 * A name leads down from the folder and nowhere else.  No part of it is empty, none begins with a
 * point (so none is hidden and none is "..") or with a minus, and none has control characters.  The
 * suffix must be of a kind that is served.  No part is a link, not even one that stays in the
 * folder.  Only a plain file is opened: no pipe, no device.
 *
 * Every part is opened from the one before it, without following links, so that nothing can be put
 * in its place between the look and the opening.  The folder itself is the caller's word and may be
 * reached by links.  A second name of a file (a hard link) is like the first. */

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
    SAFE_NOTHING,   /* The name is allowed, but no such file exists. */
    SAFE_FILE,      /* A plain file. */
    SAFE_FORBIDDEN, /* The name is bad, or something else is there: a link, a folder, a pipe. */
};

/* True if the name follows the rule, as far as can be decided without opening it. */
bool safe_is_name(const char *name, enum safe_kind, struct err *);

/* 'file' may be null. */
enum safe_found safe_find(const char *folder, const char *name, enum safe_kind, struct stat *file);

/* Opens a file to read; negative: it cannot be opened, and 'err' has the reason. */
int safe_open(const char *folder, const char *name, enum safe_kind, struct err *);

/* Reads a whole file, like text_read_file(). */
char *safe_read_file(const char *folder, const char *name, enum safe_kind, size_t max_bytes,
                     size_t *len, struct err *);

#endif
