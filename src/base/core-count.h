/* The number of cores that this process may use. */

#ifndef BASE_CORE_COUNT_H
#define BASE_CORE_COUNT_H

#include <stddef.h>

/* At least 1.  Launchers and job schedulers give each process a part of a machine. */
size_t core_count(void);

#endif
