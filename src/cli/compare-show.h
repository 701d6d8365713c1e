/* Output of `weir compare`, for users and for programs. */

#ifndef CLI_COMPARE_SHOW_H
#define CLI_COMPARE_SHOW_H

#include "cli/cli.h"
#include "run/comparison.h"

/* Shows the table, and the warnings of the runs (compare-show.c). */
void compare_show(const struct compare *, enum cli_form, const struct compare_row *, size_t n);

/* Write all rows for programs (compare-write.c). */
void compare_write_json(const struct compare *, const struct compare_row *, size_t n);
void compare_write_csv(const struct compare *, const struct compare_row *, size_t n);

#endif
