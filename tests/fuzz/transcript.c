/* Any text as a transcript: an error with its place, or a transcript that plays. */

#include <stdlib.h>
#include <string.h>

#include "transcript/transcript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    struct transcript t;
    struct err err;
    char *text = malloc(size + 1);

    if (!nowhere) {
        nowhere = fopen("/dev/null", "w");
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (transcript_read(&t, &weir_engines, "fuzz", text, size, &err)) {
        transcript_play(&t, TRANSCRIPT_CHECK, nowhere, NULL);
        transcript_play(&t, TRANSCRIPT_FILL, nowhere, NULL);
        transcript_free(&t);
    }
    free(text);
    return 0;
}
