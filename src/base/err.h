/* An error, in a sentence for the user.
 *
 * A function that can fail returns bool and takes a struct err last; the text means something only
 * after it returned false.  err_set() returns false itself, so that to fail is one line:
 *
 *     if (!file) {
 *         return err_set(err, "cannot open %s: %s", path, strerror(errno));
 *     }
 *
 * The text has neither a capital nor a full stop, so that a caller can say more around it.  Text
 * that is longer than the room for it is cut. */

#ifndef WEIR_BASE_ERR_H
#define WEIR_BASE_ERR_H

#include <stdbool.h>

struct err {
    char text[1024];
    bool is_of_content; /* A file that can be read does not have what it should. */
};

/* Returns false, always.  The arguments may include the old text of another struct err. */
bool err_set(struct err *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for an error of a file's content. */
bool err_set_of_content(struct err *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
