/* The table of `weir compare`, for people and for programs. */

#ifndef CLI_COMPARE_SHOW_H
#define CLI_COMPARE_SHOW_H

#include "cli/cli.h"
#include "run/comparison.h"

/* compare-show.c: the table, and the warnings of the runs. */
void compare_show(const struct compare *, enum cli_form, const struct compare_row *, size_t n);

/* compare-write.c: all rows for programs. */
void compare_write_json(const struct compare *, const struct compare_row *, size_t n);
void compare_write_csv(const struct compare *, const struct compare_row *, size_t n);

#endif
