/* Tries any text as a transcript: the result is an error with its location, or a transcript that
 * plays. */

#include <stdlib.h>
#include <string.h>

#include "../engines/engines.h"
#include "transcript/transcript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_ENGINES = 64 };

/* The engines of the program, and a test engine that needs services. */
static const struct weir_registry *
all_engines(void)
{
    static const struct weir_plugin *plugins[MAX_ENGINES + 2];
    static struct weir_registry all = { .one = "engine", .plugins = plugins };
    size_t n = 0;

    for (; weir_engines.plugins[n] && n < MAX_ENGINES; n++) {
        plugins[n] = weir_engines.plugins[n];
    }
    plugins[n] = &probe.about;
    return &all;
}

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
    if (transcript_read(&t, all_engines(), "fuzz", text, size, &err)) {
        transcript_play(&t, TRANSCRIPT_CHECK, nowhere, NULL);
        transcript_play(&t, TRANSCRIPT_FILL, nowhere, NULL);
        transcript_free(&t);
    }
    free(text);
    return 0;
}
