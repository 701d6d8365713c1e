/* Writes a results file to look at: sample FILE.  One run that is whole, one that was left. */

#include "sample.h"

#include <stdio.h>

int
main(int argc, char **argv)
{
    struct err err;
    struct rec *r = argc == 2 ? rec_open(argv[1], &err) : NULL;

    if (!r || !sample_tell(r, SAMPLE_ROWS, &err) || !sample_finish(r, &err) ||
        !sample_tell(r, 3, &err) || !rec_close(r, &err)) {
        fprintf(stderr, "sample: %s\n", argc == 2 ? err.text : "usage: sample FILE");
        return 1;
    }
    return 0;
}
