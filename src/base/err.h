/* An error, in a sentence for the user.
 *
 * A function that can fail returns bool and takes a struct err last, whose text is valid only after
 * the function has returned false.  err_set() itself returns false, so that failing takes one line:
 *
 *     if (!file) {
 *         return err_set(err, "cannot open %s: %s", path, strerror(errno));
 *     }
 *
 * The text has neither a capital nor a full stop, so that a caller can embed it.  Text that is too
 * long is cut. */

#ifndef WEIR_BASE_ERR_H
#define WEIR_BASE_ERR_H

#include <stdbool.h>

struct err {
    char text[1024];
    bool is_of_content; /* The file can be read, but its content is wrong. */
};

/* Sets the text, and always returns false.  The arguments may include the text of another struct
 * err. */
bool err_set(struct err *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Like err_set(), for an error in a file's content. */
bool err_set_of_content(struct err *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
