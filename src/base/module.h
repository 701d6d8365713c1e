/* Modules of the program: parts that are loaded when they are needed, because they depend on
 * libraries that not every machine has.
 *
 *     const struct mpi_calls *calls = module_load("weir-mpi.so", "weir_mpi_calls", version, &err);
 *
 * A module is searched next to the program, as in a build; where it is installed; and where the
 * system searches for libraries.  It has one table of functions, which begins with the version of
 * Weir that it belongs to.  It stays loaded. */

#ifndef BASE_MODULE_H
#define BASE_MODULE_H

#include <stdbool.h>

#include "base/err.h"

/* Whether the module is next to the program, or installed. */
bool module_is_there(const char *file);

/* The table of a module; null: the module or a library that it needs is missing, or its version is
 * not 'version'.  The reason can follow "cannot load X: ". */
const void *module_load(const char *file, const char *table, const char *version, struct err *);

#endif
