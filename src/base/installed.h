/* Where an installed program has its files: share/weir, found from where the program itself is, so
 * that what was installed can be moved as a whole. */

#ifndef BASE_INSTALLED_H
#define BASE_INSTALLED_H

#include <stdbool.h>
#include <stddef.h>

/* The path of "studies/gfc" and its like; false: there is none, or the program is not installed. */
bool installed_find(const char *name, char *path, size_t max);

#endif
