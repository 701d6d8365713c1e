/* Where an installed program has its files: share/weir, found from where the program itself is, so
 * that what was installed can be moved as a whole. */

#ifndef BASE_INSTALLED_H
#define BASE_INSTALLED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* The path of "studies/gfc" and its like; false: there is none, or the program is not installed. */
bool installed_find(const char *name, char *path, size_t max);

/* As text_read_file(); where there is no such file and its name begins with studies/, or it is in a
 * folder workloads/, the one that was installed. */
char *installed_read(const char *path, size_t max_bytes, size_t *len, struct err *);

#endif
