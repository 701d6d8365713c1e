/* Finds the files of an installed program, share/weir, relative to the program itself, so that the
 * installation can be moved as a whole. */

#ifndef BASE_INSTALLED_H
#define BASE_INSTALLED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { INSTALLED_PATH_BYTES = 5000 };

/* Finds a file in a folder whose path is relative to the program's folder. Returns false if the
 * file does not exist. */
bool installed_path(const char *folder, const char *name, char path[INSTALLED_PATH_BYTES]);

/* Returns the path itself, if it exists. Otherwise, if it begins with studies/ or is in a folder
 * workloads/, returns the path of the installed file, in 'room'. All commands find their files and
 * studies by this function. */
const char *installed_or(const char *path, char room[INSTALLED_PATH_BYTES]);

/* Like text_read_file(), for the file that installed_or() finds. */
char *installed_read(const char *path, size_t max_bytes, size_t *len, struct err *);

#endif
