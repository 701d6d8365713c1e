/* Where an installed program has its files: share/weir, found relative to the program itself, so
 * that the installation can be moved as a whole. */

#ifndef BASE_INSTALLED_H
#define BASE_INSTALLED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { INSTALLED_PATH_BYTES = 5000 };

/* The path of a file in a folder, which is relative to that of the program; false: it is not there.
 */
bool installed_path(const char *folder, const char *name, char path[INSTALLED_PATH_BYTES]);

/* The path itself, or where nothing is there and it begins with studies/, or is in a folder
 * workloads/, that of what was installed, in 'room'.  All verbs find their files and studies by it.
 */
const char *installed_or(const char *path, char room[INSTALLED_PATH_BYTES]);

/* Like text_read_file(), for the file that this finds. */
char *installed_read(const char *path, size_t max_bytes, size_t *len, struct err *);

#endif
