/* Writes a small results file: sample FILE [SAMPLES].  The file has one complete run and one that
 * was abandoned. */

#include "sample.h"

#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    struct err err;
    struct rec *r = argc > 1 ? rec_open(argv[1], &err) : NULL;
    uint64_t n_rows = argc > 2 ? strtoull(argv[2], NULL, 10) : SAMPLE_ROWS;

    if (!r || !sample_tell(r, n_rows, &err) || !sample_finish(r, &err) ||
        !sample_tell(r, 3, &err) || !rec_close(r, &err)) {
        fprintf(stderr, "sample: %s\n", argc > 1 ? err.text : "usage: sample FILE [SAMPLES]");
        return 1;
    }
    return 0;
}
