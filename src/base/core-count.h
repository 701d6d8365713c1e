/* The number of cores that this process may use. */

#ifndef BASE_CORE_COUNT_H
#define BASE_CORE_COUNT_H

#include <stddef.h>

/* The number of cores, at least 1. Launchers and job schedulers may give each process only some
 * cores of a machine. */
size_t core_count(void);

#endif
