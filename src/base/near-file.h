/* Files with names like that of one that is not there. */

#ifndef BASE_NEAR_FILE_H
#define BASE_NEAR_FILE_H

#include <stddef.h>

/* Writes "; did you mean 'ring.yaml'?", the names of its folder that are nearest to that of the
 * path, as text_offer_near() does; nothing if something is there or no name is near. */
void near_file_offer(const char *path, char *out, size_t out_bytes);

#endif
