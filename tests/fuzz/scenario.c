/* Any text as a scenario: an error with its place, or a scenario. */

#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 itself leaks on some bad texts; what we allocate is still watched. */
const char *
__lsan_default_suppressions(void)
{
    return "leak:libfyaml.so\n";
}

/* Networks are built while reading; large ones would only cost time, so they are kept small. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const sets[] = { "topology.k=4", "topology.switches=3", "topology.hosts=2" };
    struct scenario s;
    struct err err;
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    struct scn_source source = { "fuzz", text };
    if (strlen(text) == size && scn_read(&s, &source, sets, 3, &err)) {
        scn_free(&s);
    }
    free(text);
    return 0;
}
