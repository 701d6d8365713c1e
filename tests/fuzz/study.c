/* Tries any text as a study: the result is an error with its location, or the settings of runs. */

#include <stdlib.h>
#include <string.h>

#include "scenario/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 leaks on some bad texts; the program's own allocations are still checked. */
const char *
__lsan_default_suppressions(void)
{
    return "leak:libfyaml.so\n";
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct scn_study study;
    struct err err;
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    if (strlen(text) == size &&
        scn_study_read(&study, "fuzz", text, SCN_STUDY_SAMPLE, NULL, NULL, &err)) {
        struct scn_sets first = scn_study_sets(&study, 0);
        struct scn_sets last = scn_study_sets(&study, study.n_runs - 1);
        scn_sets_free(&first);
        scn_sets_free(&last);
        free(scn_study_text(&study));
        scn_study_free(&study);
    }
    free(text);
    return 0;
}
