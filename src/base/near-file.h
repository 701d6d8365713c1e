/* Finds files with names similar to that of a missing file. */

#ifndef BASE_NEAR_FILE_H
#define BASE_NEAR_FILE_H

#include <stddef.h>

/* Writes "; did you mean 'ring.yaml'?" with the names in the path's folder that are most similar,
 * like text_offer_near(). Writes nothing if the path exists or no name is similar. */
void near_file_offer(const char *path, char *out, size_t out_bytes);

#endif
